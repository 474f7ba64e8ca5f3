# Makes the linker's version script of events.def: each function has the version that libgomp gives it. What is named
# nowhere and not hidden (unload.c) has none, as a program's call of any version means it.
/^(OLD_)?EVENT\(/ {
  split($0, fields, /[(,] */)
  version = fields[2]
  if (!(version in names))
    order[++count] = version
  names[version] = names[version] ($0 ~ /^OLD_/ ? "" : " " fields[4] ";")
}
END {
  for (i = 1; i <= count; i++)
    printf "%s {\n%s%s};\n", order[i], names[order[i]] ? "  global:" names[order[i]] "\n" : "",
      i == 1 ? "  local: old_*; traced_*;\n" : ""
}
