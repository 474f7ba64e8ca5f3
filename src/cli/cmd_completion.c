#include "cli/cmd_completion.h"

#include "cli/commands.h"
#include "cli/common/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is proposed after `stave`, besides the commands. */
static const char others[] = "help";

typedef const char *(*word_of)(size_t number);

static bool has_letter(const struct usage_option *option) {
  return option->code < 256;
}

static void print_words(word_of word) {
  const char *text;
  for (size_t i = 0; word && (text = word(i)); i++)
    printf("%s%s", i > 0 ? " " : "", text);
}

static void print_command_names(void) {
  size_t count;
  const struct command *commands = commands_all(&count);
  for (size_t i = 0; i < count; i++)
    printf("%s ", commands[i].usage()->command);
  printf("%s", others);
}

/* Calls `print` with each command's usage. */
static void each_usage(void (*print)(const struct usage *usage)) {
  size_t count;
  const struct command *commands = commands_all(&count);
  for (size_t i = 0; i < count; i++)
    print(commands[i].usage());
}

/* -- bash -- */

/* Two functions show what a command's options are and what a value of one is: KIND WORD ...; an empty option
 * is the argument. bash splits "--option=value" into three words. */
static const char bash_rest[] =
    "_stave_reply() {\n"
    "  local kind=${1%% *} words= start= word\n"
    "  [[ $1 == *' '* ]] && words=${1#* }\n"
    "  case $kind in\n"
    "    file|directory|program)\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      mapfile -t COMPREPLY < <(compgen -f -- \"$2\") ;;\n"
    "    word) COMPREPLY=($(compgen -W \"$words\" -- \"$2\")) ;;\n"
    "    list)\n"
    "      [[ $2 == *,* ]] && start=${2%,*},\n"
    "      word=${2#\"$start\"}\n"
    "      [[ $word == -* ]] && start+=- word=${word#-}\n"
    "      COMPREPLY=($(compgen -P \"$start\" -W \"$words\" -- \"$word\"))\n"
    "      compopt -o nospace 2>/dev/null ;;\n"
    "  esac\n"
    "}\n"
    "_stave() {\n"
    "  local words=(\"${COMP_WORDS[@]:0:COMP_CWORD+1}\") i current previous argument=\n"
    "  COMPREPLY=()\n"
    "  current=${words[COMP_CWORD]}\n"
    "  previous=${words[COMP_CWORD-1]}\n"
    "  if ((COMP_CWORD > 2)) && [[ $current == = ]]; then\n"
    "    current=\n"
    "  elif ((COMP_CWORD > 3)) && [[ $previous == = ]]; then\n"
    "    previous=${words[COMP_CWORD-2]}\n"
    "  fi\n"
    "  local command=${words[1]}\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    _stave_reply \"word $_stave_commands -h --help -V --version\" \"$current\"\n"
    "    return\n"
    "  fi\n"
    "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "    if [[ ${words[i]} == -- ]]; then\n"
    "      argument=${words[i+1]}\n"
    "      break\n"
    "    elif [[ ${words[i]} == -* ]]; then\n"
    "      [[ -n $(_stave_value \"$command\" \"${words[i]}\") ]] || continue\n"
    "      ((i++))\n"
    "      [[ ${words[i]} == = ]] && ((i++))\n"
    "    else\n"
    "      argument=${words[i]}\n"
    "      break\n"
    "    fi\n"
    "  done\n"
    "  if [[ $command == record && -n $argument ]]; then\n"
    "    if declare -F _command_offset >/dev/null; then\n"
    "      _command_offset $i\n"
    "    else\n"
    "      _stave_reply file \"$current\"\n"
    "    fi\n"
    "  elif [[ $previous == -* && -n $(_stave_value \"$command\" \"$previous\") ]]; then\n"
    "    _stave_reply \"$(_stave_value \"$command\" \"$previous\")\" \"$current\"\n"
    "  elif [[ $current == -* ]]; then\n"
    "    _stave_reply \"word $(_stave_options \"$command\")\" \"$current\"\n"
    "  else\n"
    "    _stave_reply \"$(_stave_value \"$command\" '')\" \"$current\"\n"
    "  fi\n"
    "}\n"
    "complete -F _stave stave\n";

static const char *const kind_names[] = {[USAGE_NOTHING] = "nothing", [USAGE_OPTIONAL] = "nothing",
                                         [USAGE_FILE] = "file",       [USAGE_DIRECTORY] = "directory",
                                         [USAGE_PROGRAM] = "program", [USAGE_WORD] = "word",
                                         [USAGE_LIST] = "list"};

static void print_kind(enum usage_value kind, word_of word) {
  printf("echo '%s", kind_names[kind]);
  if (word)
    printf(" ");
  print_words(word);
  printf("' ;;\n");
}

static void bash_options(const struct usage *usage) {
  printf("    %s) echo '", usage->command);
  for (const struct usage_option *option = usage->options; option && option->name; option++) {
    if (has_letter(option))
      printf("-%c ", option->code);
    printf("--%s ", option->name);
  }
  printf("-h --help' ;;\n");
}

static void bash_values(const struct usage *usage) {
  for (const struct usage_option *option = usage->options; option && option->name; option++) {
    if (!option->value || option->kind == USAGE_OPTIONAL)
      continue;
    if (has_letter(option))
      printf("    '%s -%c'|", usage->command, option->code);
    printf("%s'%s --%s') ", has_letter(option) ? "" : "    ", usage->command, option->name);
    print_kind(option->kind, option->word);
  }
  if (usage->argument) {
    printf("    '%s ') ", usage->command);
    print_kind(usage->argument_kind, usage->argument_word);
  }
}

static void print_bash(void) {
  printf("# bash completion for stave: made by `stave completion bash`\n_stave_commands='");
  print_command_names();
  printf("'\n_stave_options() {\n  case $1 in\n");
  each_usage(bash_options);
  printf("  esac\n}\n_stave_value() {\n  case \"$1 $2\" in\n");
  each_usage(bash_values);
  printf("    'help ') echo \"word $_stave_commands\" ;;\n  esac\n}\n%s", bash_rest);
}

/* -- zsh -- */

/* As a part of a specification of _arguments, in single quotes. */
static void zsh_text(const char *text) {
  for (; *text != '\0'; text++)
    if (*text == '\'')
      printf("'\\''");
    else if (strchr("[]:\\", *text))
      printf("\\%c", *text);
    else
      putchar(*text);
}

static void zsh_action(enum usage_value kind, word_of word) {
  switch (kind) {
  case USAGE_NOTHING:
  case USAGE_OPTIONAL:
    printf(" ");
    break;
  case USAGE_FILE:
  case USAGE_DIRECTORY:
    printf("_files");
    break;
  case USAGE_PROGRAM:
    printf("{ _command_names -e; _files }");
    break;
  case USAGE_WORD:
    printf("(");
    print_words(word);
    printf(")");
    break;
  case USAGE_LIST:
    printf("_values -s , word ");
    print_words(word);
    break;
  }
}

static void zsh_option(const char *spelling, const char *others_of_it, const struct usage_option *option) {
  printf(" \\\n        '(%s)%s%s[", others_of_it, spelling,
         !option->value                   ? ""
         : option->kind == USAGE_OPTIONAL ? "=-"
         : spelling[1] == '-'             ? "="
                                          : "+");
  zsh_text(option->help);
  printf("]");
  if (option->value) {
    printf("%s:%s:", option->kind == USAGE_OPTIONAL ? ":" : "", option->value);
    zsh_action(option->kind, option->word);
  }
  printf("'");
}

static void zsh_command(const struct usage *usage) {
  static const struct usage_option help = {'h', "help", NULL, "this text", USAGE_NOTHING, NULL};
  char letter[4], name[64], both[80];
  printf("    %s)\n      _arguments -s -S", usage->command);
  for (const struct usage_option *option = usage->options; option != &help; option++) {
    if (!option || !option->name)
      option = &help;
    snprintf(letter, sizeof letter, "-%c", option->code);
    snprintf(name, sizeof name, "--%s", option->name);
    snprintf(both, sizeof both, "%s%s%s", has_letter(option) ? letter : "", has_letter(option) ? " " : "",
             name);
    if (has_letter(option))
      zsh_option(letter, both, option);
    zsh_option(name, both, option);
    if (option == &help)
      break;
  }
  if (usage->argument) {
    printf(" \\\n        '%s:%s:", usage->accepts_several ? "*" : "1", usage->argument);
    zsh_action(usage->argument_kind, usage->argument_word);
    printf("'");
  }
  printf("%s ;;\n", usage->accepts_more ? " \\\n        '*::arguments:_normal'" : "");
}

static void zsh_description(const struct usage *usage) {
  printf("    '%s:", usage->command);
  zsh_text(usage->summary);
  printf("'\n");
}

static void print_zsh(void) {
  printf("#compdef stave\n# zsh completion for stave: made by `stave completion zsh`\n_stave() {\n"
         "  local -a commands\n  commands=(\n");
  each_usage(zsh_description);
  printf("    'help:explain a command'\n  )\n"
         "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  ((CURRENT--))\n  case $words[1] in\n");
  each_usage(zsh_command);
  printf("    help) _describe command commands ;;\n  esac\n}\n"
         "if [[ $funcstack[1] == _stave ]]; then\n  _stave \"$@\"\nelse\n  compdef _stave stave\nfi\n");
}

/* -- fish -- */

static void fish_quoted(const char *text) {
  putchar('\'');
  for (; *text != '\0'; text++)
    printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
  putchar('\'');
}

static void fish_action(enum usage_value kind, word_of word) {
  switch (kind) {
  case USAGE_OPTIONAL:
    break;
  case USAGE_NOTHING:
    printf(" -x");
    break;
  case USAGE_FILE:
  case USAGE_DIRECTORY:
  case USAGE_PROGRAM:
    printf(" -rF");
    break;
  case USAGE_WORD:
    printf(" -xa '");
    print_words(word);
    printf("'");
    break;
  case USAGE_LIST:
    printf(" -xa '(__fish_append , ");
    print_words(word);
    printf(")'");
    break;
  }
}

static void fish_option(const char *command, const struct usage_option *option) {
  printf("complete -c stave -n '__fish_seen_subcommand_from %s'", command);
  if (has_letter(option))
    printf(" -s %c", option->code);
  printf(" -l %s", option->name);
  if (option->value)
    fish_action(option->kind, option->word);
  printf(" -d ");
  fish_quoted(option->help);
  printf("\n");
}

static void fish_command(const struct usage *usage) {
  static const struct usage_option help = {'h', "help", NULL, "this text", USAGE_NOTHING, NULL};
  printf("complete -c stave -n __fish_use_subcommand -a %s -d ", usage->command);
  fish_quoted(usage->summary);
  printf("\n");
  for (const struct usage_option *option = usage->options; option && option->name; option++)
    fish_option(usage->command, option);
  fish_option(usage->command, &help);
  if (!usage->argument)
    return;
  printf("complete -c stave -n '__fish_seen_subcommand_from %s'", usage->command);
  if (usage->argument_word)
    fish_action(usage->argument_kind, usage->argument_word);
  else
    printf(" -F");
  printf("\n");
}

static void print_fish(void) {
  printf("# fish completion for stave: made by `stave completion fish`\ncomplete -c stave -f\n");
  each_usage(fish_command);
  printf("complete -c stave -n __fish_use_subcommand -a help -d 'explain a command'\n"
         "complete -c stave -n '__fish_seen_subcommand_from help' -a '");
  print_command_names();
  printf("'\n");
}

/* -- the command -- */

static const struct {
  const char *name;
  void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static const char *shell_word(size_t number) {
  return number < sizeof shells / sizeof *shells ? shells[number].name : NULL;
}

const struct usage *cmd_completion_usage(void) {
  static const struct usage usage = {
      .command = "completion",
      .summary = "print what a shell needs to complete commands and options",
      .synopsis = "bash | zsh | fish",
      .about = "Prints what the shell reads to complete Stave's commands, options and their values. An "
               "installation has it where the shells look; without one: source <(stave completion bash), or "
               "the same for zsh; stave completion fish | source.",
      .status = "Exit status: 0; 2 if an option is wrong or there is no such shell.",
      .argument = "shell",
      .argument_kind = USAGE_WORD,
      .argument_word = shell_word,
  };
  return &usage;
}

int cmd_completion(int argc, char **argv) {
  int status = usage_read(cmd_completion_usage(), argc, argv, NULL);
  if (status >= 0)
    return status;
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (strcmp(shells[i].name, argv[optind]) == 0) {
      shells[i].print();
      return EXIT_SUCCESS;
    }
  usage_unknown("completion", "shell", argv[optind], strlen(argv[optind]), shell_word);
  return EXIT_USAGE;
}
