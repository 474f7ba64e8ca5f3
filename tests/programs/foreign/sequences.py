"""Programs of biology: trees, alignments, assemblies, clusters of sequences."""
import random

from . import inputs
from .recipes import recipe


@recipe("fasttree", "fasttree", "C", needs=["fasttreeMP"], ignore="second|Time [0-9]|[0-9] sec")
def fasttree(folder, times=1):
    aligned = inputs.aligned(folder / "aligned.fasta", 30 * times, 150)
    return ["fasttreeMP", "-nt", "-gtr", "-seed", "1", "-nopr", aligned]


@recipe("iqtree", "iqtree", "C++", needs=["iqtree2"], ignore="[Tt]ime|Date|sec|Host|Seed|GB RAM|at least.*MB",
        ignore_files=r"\.ckp\.gz$")
def iqtree(folder):
    aligned = inputs.aligned(folder / "aligned.fasta", 10, 200)
    return ["iqtree2", "-s", aligned, "-m", "HKY", "-seed", "1", "-nt", "2", "-pre", "tree"]


@recipe("mmseqs2", "mmseqs2", "C++", needs=["mmseqs"],
        ignore=r"%|==|[Tt]ime for|tmp/|h 0m|Tmp|Estimated|hash|Total time",
        ignore_files="tmp/")
def mmseqs2(folder):
    """A script of its own starts mmseqs many times."""
    proteins = inputs.proteins(folder / "proteins.fasta", 20, 5, 150)
    return ["mmseqs", "easy-cluster", proteins, "clusters", "tmp", "--threads", "2"]


@recipe("spades", "spades", "C++", needs=["spades"],
        ignore=r"INFO|[0-9]+:[0-9]+:|[Tt]ime|System|OS:|Python|started|finished|Log|==|date",
        ignore_files=r"\.log$|\.yaml$|\.bin$|run_spades|params|tmp|K[0-9]+/|corrected/|\.info$")
def spades(folder):
    """Python that starts several programs, which limit their address space."""
    first, second = inputs.paired_reads(folder, inputs.nucleotides(20_000))
    return ["spades", "-1", first, "-2", second, "-o", "assembly", "-t", "2", "-m", "4", "--phred-offset", "33"]


@recipe("clustalo", "clustalo", "C", needs=["clustalo"], ignore="[Tt]ime|seconds|CPU|progress|Progress")
def clustalo(folder):
    proteins = inputs.proteins(folder / "proteins.fasta", 3, 20, 100)
    return ["clustalo", "-i", proteins, "--threads=2", "-o", "aligned.fasta", "-v"]


@recipe("muscle", "muscle", "C++", needs=["muscle"], ignore="[0-9]+:[0-9]+|[0-9.]+s |CPUs|Mb|GB")
def muscle(folder, times=1):
    proteins = inputs.proteins(folder / "proteins.fasta", 2, 5 * times, 60)
    return ["muscle", "-align", proteins, "-output", "aligned.fasta", "-threads", "2"]


@recipe("kalign", "kalign", "C", needs=["kalign"], ignore=r"\[[0-9-]+ [0-9:]+\]|[Tt]ime|seconds|runs|CPU")
def kalign(folder, times=1):
    proteins = inputs.proteins(folder / "proteins.fasta", 3 * times, 30, 120)
    return ["kalign", "-n", "2", "-i", proteins, "-o", "aligned.fasta"]


@recipe("cd-hit", "cd-hit", "C++", needs=["cd-hit"], ignore="[Ss]tarted|[Tt]ime|seconds|CPU|memory|Approximated|Table")
def cd_hit(folder):
    proteins = inputs.proteins(folder / "proteins.fasta", 100, 6, 200)
    return ["cd-hit", "-i", proteins, "-o", "clusters", "-T", "2", "-M", "400"]


@recipe("velvet", "velvet", "C", needs=["velveth", "velvetg"], has_openmp=False,
        ignore=r"\[[0-9.]+\]|[A-Z][a-z]+ [A-Z][a-z]+ +[0-9]+ ")
def velvet(folder):
    """A shell that starts two programs, built without OpenMP."""
    first, second = inputs.paired_reads(folder, inputs.nucleotides(20_000))
    return ["sh", "-c", f"velveth out 31 -shortPaired -fastq -separate {first} {second} && velvetg out -exp_cov 10"]


@recipe("megahit", "megahit", "C++", needs=["megahit"],
        ignore=r"[0-9]{4}-[0-9]+-[0-9]+ [0-9:]+|[Tt]ime|Real|user|sys|maxrss|memory|mem",
        ignore_files=r"log$|options\.json|tmp|intermediate|checkpoints")
def megahit(folder):
    first, second = inputs.paired_reads(folder, inputs.nucleotides(6_000))
    return ["megahit", "-1", first, "-2", second, "-o", "assembly", "-t", "2"]


@recipe("sumaclust", "sumaclust", "C", needs=["sumaclust"], ignore="[0-9]+%|remaining|time")
def sumaclust(folder):
    generator = random.Random(5)
    sequences = [inputs.mutated(inputs.nucleotides(200, seed), "ACGT", 0.03, generator)
                 for seed in range(20) for _ in range(30)]
    return ["sumaclust", "-t", "0.9", "-p", "2", inputs.write_fasta(folder / "reads.fasta", sequences)]


@recipe("ncbi-blast", "ncbi-blast+", "C++", needs=["blastp", "makeblastdb"], ignore="time|Posted")
def blast(folder):
    """Is linked to libgomp and has threads of its own."""
    proteins = inputs.proteins(folder / "proteins.fasta", 40, 5, 200)
    return ["sh", "-c", f"makeblastdb -in {proteins} -dbtype prot -out base >made && rm made base.* -f && "
            f"blastp -query {proteins} -subject {proteins} -outfmt 6 -evalue 1e-5"]


@recipe("rna-star", "rna-star", "C++", needs=["STAR"], has_openmp=False, ignore="[0-9]+:[0-9]+|[A-Z][a-z]+ [0-9]+ ",
        ignore_files=r"Log|_STARtmp|genomeParameters")
def rna_star(folder):
    """Linked to libgomp, and has threads of its own here."""
    genome = inputs.nucleotides(20_000)
    first, _ = inputs.paired_reads(folder, genome)
    fasta = inputs.write_fasta(folder / "genome.fasta", [genome], "chromosome")
    return ["sh", "-c", f"mkdir index && STAR --runMode genomeGenerate --genomeDir index --genomeFastaFiles {fasta} "
            "--genomeSAindexNbases 6 --runThreadN 2 && STAR --genomeDir index --runThreadN 2 "
            "--outSAMorder PairedKeepInputOrder "
            f"--readFilesIn {first}"]


@recipe("bowtie2", "bowtie2", "C++", needs=["bowtie2", "bowtie2-build"], has_openmp=False, ignore="[Tt]ime|elapsed|@PG")
def bowtie2(folder):
    """Has no OpenMP: stays as it is, and leaves no archive."""
    genome = inputs.nucleotides(20_000)
    first, _ = inputs.paired_reads(folder, genome)
    fasta = inputs.write_fasta(folder / "genome.fasta", [genome], "chromosome")
    return ["sh", "-c", f"bowtie2-build -q {fasta} index && bowtie2 -x index -U {first} -p 2 --reorder"]


@recipe("fastani", "fastani", "C++", needs=["fastANI"], ignore="[Tt]ime|sec|INFO|skch")
def fastani(folder):
    generator, genome = random.Random(6), inputs.nucleotides(100_000)
    paths = [inputs.write_fasta(folder / f"genome{number}.fasta", [inputs.mutated(genome, "ACGT", rate, generator)])
             for number, rate in enumerate((0.0, 0.02, 0.05, 0.1))]
    names = inputs.text(folder / "names", "".join(f"{path}\n" for path in paths))
    return ["fastANI", "--ql", names, "--rl", names, "-t", "2", "-o", "identities"]


@recipe("phylonium", "phylonium", "C++", needs=["phylonium"])
def phylonium(folder):
    generator, genome = random.Random(7), inputs.nucleotides(200_000)
    return ["phylonium", "-t", "2", *(inputs.write_fasta(
        folder / f"genome{number}.fasta", [inputs.mutated(genome, "ACGT", 0.01 * number, generator)])
        for number in range(6))]
