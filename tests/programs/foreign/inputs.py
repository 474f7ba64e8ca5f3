"""Inputs of foreign programs, always the same: sequences, reads, pictures, atoms."""
import pathlib
import random
import subprocess

SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "support"
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


def aligned(path, count, length):
    """Nucleotide sequences with a tree in them, in FASTA."""
    path.write_bytes(subprocess.check_output([SUPPORT / "make_sequences", str(count), str(length)]))
    return path


def nucleotides(length, seed=1):
    return "".join(random.Random(seed).choices("ACGT", k=length))


def mutated(sequence, alphabet, rate, generator):
    return "".join(generator.choice(alphabet) if generator.random() < rate else letter for letter in sequence)


def write_fasta(path, sequences, name="sequence"):
    path.write_text("".join(f">{name}{number}\n{text}\n" for number, text in enumerate(sequences)), encoding="ascii")
    return path


def proteins(path, families, members, length, seed=2):
    """Families of proteins: each member is a mutated copy of the family's first."""
    generator = random.Random(seed)
    made = []
    for _ in range(families):
        first = "".join(generator.choices(AMINO_ACIDS, k=length))
        made += [mutated(first, AMINO_ACIDS, 0.15, generator) for _ in range(members)]
    return write_fasta(path, made, "protein")


def complement(sequence):
    return sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))


def paired_reads(folder, genome, coverage=30, length=100, insert=300, seed=3):
    """Reads of both ends of pieces of a genome, without errors but a few: two files in FASTQ."""
    generator = random.Random(seed)
    count = len(genome) * coverage // (2 * length)
    paths = folder / "reads_1.fastq", folder / "reads_2.fastq"
    with open(paths[0], "w", encoding="ascii") as first, open(paths[1], "w", encoding="ascii") as second:
        for number in range(count):
            begin = generator.randrange(len(genome) - insert)
            piece = mutated(genome[begin:begin + insert], "ACGT", 0.002, generator)
            for file, text in ((first, piece[:length]), (second, complement(piece)[:length])):
                file.write(f"@read{number}\n{text}\n+\n{'I' * length}\n")
    return paths


def picture(path, width, height, seed=4):
    """A picture in PPM: a gradient with coloured squares and noise."""
    generator = random.Random(seed)
    squares = [(generator.randrange(width), generator.randrange(height), generator.randrange(10, 80),
                bytes(generator.choices(range(256), k=3))) for _ in range(40)]
    rows = [bytearray(b"".join(bytes((x * 255 // width, y * 255 // height, generator.randrange(60)))
                               for x in range(width))) for y in range(height)]
    for left, top, size, colour in squares:
        for row in rows[top:top + size]:
            covered = min(size, width - left)
            row[3 * left:3 * (left + covered)] = colour * covered
    path.write_bytes(f"P6 {width} {height} 255\n".encode() + b"".join(rows))
    return path


def text(path, content):
    path.write_text(content, encoding="ascii")
    return path
