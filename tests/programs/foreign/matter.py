"""Programs of chemistry and physics, those of MPI among them."""
import random

from . import inputs
from .recipes import recipe

MPIRUN = ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2")
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,tcp",
       "OMPI_MCA_btl_tcp_if_include": "lo", "OMP_NUM_THREADS": "1"}
TIMES = "[Tt]ime|[Ss]econds|CPU|wall|Date|date|PID|host|[0-9]+:[0-9]+|sec"
WATER = (("O", 0.000, 0.000, 0.117), ("H", 0.000, 0.757, -0.470), ("H", 0.000, -0.757, -0.470))


def waters(count):
    """Atoms of so many molecules, three in a row."""
    return [(kind, x + 3.1 * (n % 3), y + 3.1 * (n // 3 % 3), z + 3.1 * (n // 9))
            for n in range(count) for kind, x, y, z in WATER]


def argon(folder, count=6):
    """A box of argon for GROMACS: its folder has what grompp needs."""
    generator, atoms = random.Random(12), []
    for n in range(count ** 3):
        place = [0.4 * (n // count ** k % count) + 0.2 + generator.random() / 50 for k in range(3)]
        atoms.append(f"{n + 1:5d}AR      AR{(n + 1) % 100000:5d}" + "".join(f"{x:8.3f}" for x in place) + "\n")
    box = 0.4 * count
    inputs.text(folder / "argon.gro", f"argon\n{count ** 3:5d}\n{''.join(atoms)}{box:10.5f}{box:10.5f}{box:10.5f}\n")
    inputs.text(folder / "argon.top", "[ defaults ]\n1 1 no 1.0 1.0\n[ atomtypes ]\n"
                "AR 18 39.948 0.0 A 0.00622127 9.69576e-06\n"
                f"[ moleculetype ]\nAR 1\n[ atoms ]\n1 AR 1 AR AR 1 0 39.948\n[ system ]\nargon\n"
                f"[ molecules ]\nAR {count ** 3}\n")
    inputs.text(folder / "argon.mdp", "integrator=md\ndt=0.002\nnsteps=1000\ncutoff-scheme=Verlet\n"
                "rcoulomb=1.0\nrvdw=1.0\n"
                "nstlist=10\nnstenergy=200\ngen-vel=yes\ngen-seed=1\ngen-temp=90\ntcoupl=no\nnstlog=500\nld-seed=1\n")
    return folder


@recipe("gromacs", "gromacs", "C++", needs=["gmx"],
        ignore=TIMES + "|Working|Executable|Data prefix|GROMACS|Performance|nstlist",   # advice by what it measures
        ignore_files=r"\.log$|\.tpr$|\.cpt$|\.edr$|\.trr$|mdout")
def gromacs(folder):
    """Ranks of its own that are threads, with OpenMP in each."""
    f = argon(folder)
    return ["sh", "-c", f"gmx -quiet grompp -f {f}/argon.mdp "
            f"-c {f}/argon.gro -p {f}/argon.top -o run.tpr -maxwarn 5 && "
            "gmx -quiet mdrun -s run.tpr -ntmpi 1 -ntomp 2 -reprod -nb cpu -pin off -notunepme"]


# What it prints of its ranks' balance, and the advice that depends on it, is of each run's times.
@recipe("gromacs-mpi", "gromacs", "C++", needs=["gmx_mpi", MPIRUN[0]], environment=MPI, is_job=True,
        ignore=TIMES + "|Working|Executable|Data prefix|GROMACS|Performance|[Ii]mbalance|nst|[Dd]ecomposition"
        "|inhomogene|fewer domains|balanc|performance|^ *$",
        ignore_files=r"\.log$|\.tpr$|\.cpt$|\.edr$|\.trr$|mdout")
def gromacs_mpi(folder):
    f = argon(folder)
    return ["sh", "-c", f"gmx_mpi -quiet grompp -f {f}/argon.mdp "
            f"-c {f}/argon.gro -p {f}/argon.top -o run.tpr -maxwarn 5 && "
            f"{' '.join(MPIRUN)} gmx_mpi -quiet mdrun -s run.tpr -ntomp 1 -reprod -nb cpu -pin off -notunepme"]


CP2K = """&GLOBAL
 PROJECT water
 RUN_TYPE ENERGY
 PRINT_LEVEL LOW
&END
&FORCE_EVAL
 METHOD Quickstep
 &DFT
  BASIS_SET_FILE_NAME BASIS_MOLOPT
  POTENTIAL_FILE_NAME GTH_POTENTIALS
  &MGRID
   CUTOFF 60
  &END
  &SCF
   MAX_SCF 3
   SCF_GUESS ATOMIC
  &END
  &XC
   &XC_FUNCTIONAL PADE
   &END
  &END
 &END
 &SUBSYS
  &CELL
   ABC 5 5 5
  &END
  &COORD
O 0.000 0.000 0.117
H 0.000 0.757 -0.470
H 0.000 -0.757 -0.470
  &END
  &KIND H
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PADE-q1
  &END
  &KIND O
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PADE-q6
  &END
 &END
&END
"""


@recipe("cp2k", "cp2k", "Fortran", needs=["cp2k.psmp", MPIRUN[0]], more=("cp2k-data", "libopenblas0-openmp"),
        environment={**MPI, "CP2K_DATA_DIR": "/usr/share/cp2k"}, is_job=True,
        ignore=TIMES + r"|CP2K\||GLOBAL\| *(Process|CPU)|MEMORY|max memory usage|MPI"
        r"|^ (cp_|mp_|qs_|pw_|dbcsr|fft|scf|init)|DBCSR|Diag|OT|T [0-9]"
        r"|PROCESS ID|([0-9.]+ +){5}[0-9.]+ *$",
        ignore_files=r"wfn")
def cp2k(folder):
    return [*MPIRUN, "cp2k.psmp", "-i", inputs.text(folder / "water.inp", CP2K)]


LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 50
thermo_modify format float %12.5f
run 60
"""


@recipe("lammps", "lammps", "C++", needs=["lmp", MPIRUN[0]], environment=MPI, is_job=True,
        ignore=TIMES + r"|Performance|%|Neigh|Pair|Comm|Output|Modify|Other|Nlocal|ave|MB|Histogram|timesteps|tau/day",
        ignore_files="log.lammps")
def lammps(folder):
    return [*MPIRUN, "lmp", "-in", inputs.text(folder / "melt.in", LAMMPS)]


RING = """
import numpy
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
part = numpy.random.RandomState(rank).rand(300, 300)
total, row = 0.0, numpy.empty(300)
for step in range(20):
    request = world.Irecv(row, (rank - 1) % size, step)
    world.Send(part[step], (rank + 1) % size, step)
    while not request.Test():
        total += 0.0
    part = part @ part.T
    part /= part.max()
    total += float(world.allreduce(float(row.sum() + part.trace())))
if rank == 0:
    print(round(total, 6))
"""


@recipe("mpi4py", "python3-mpi4py", "Python", needs=["/usr/bin/python3", MPIRUN[0]], modules=("numpy", "mpi4py"),
        environment={**MPI, "OMP_NUM_THREADS": "2"}, is_job=True)
def mpi4py(folder):
    return [*MPIRUN, "/usr/bin/python3", "-B", inputs.text(folder / "ring.py", RING)]


@recipe("xtb", "xtb", "Fortran", needs=["xtb"], ignore=TIMES + r"|\*|hostname|coordinate file|program call|threads",
        ignore_files=r"\.xtboptok|xtbrestart", more=("libopenblas0-openmp",))
def xtb(folder):
    atoms = "".join(f"{kind} {x:.3f} {y:.3f} {z:.3f}\n" for kind, x, y, z in waters(12))
    return ["xtb", inputs.text(folder / "water.xyz", f"36\nwater\n{atoms}"), "--opt", "crude", "-P", "2"]


@recipe("mopac", "mopac", "Fortran", needs=["mopac"],
        ignore=TIMES + "|TIME|MOPAC|20[0-9][0-9]", more=("libopenblas0-openmp",))
def mopac(folder):
    atoms = "".join(f"{kind} {x:.3f} 1 {y:.3f} 1 {z:.3f} 1\n" for kind, x, y, z in waters(12))
    made = inputs.text(folder / "water.mop", f"PM7 1SCF THREADS=2\nwater\n\n{atoms}")
    return ["sh", "-c", f"cp {made} water.mop && mopac water.mop && cat water.out && rm water.*"]


@recipe("elk", "elk-lapw", "Fortran", needs=["elk-lapw"], more=("libopenblas0-openmp",), ignore=TIMES,
        ignore_files=r"\.OUT$")
def elk(folder):
    made = inputs.text(folder / "elk.in", "tasks\n 0\n\nmaxscl\n 4\n\navec\n 5.1 5.1 0\n 5.1 0 5.1\n 0 5.1 5.1\n\n"
                       "sppath\n '/usr/share/elk-lapw/species/'\n\natoms\n 1\n 'Si.in'\n 2\n"
                       " 0 0 0 0 0 0\n 0.25 0.25 0.25 0 0 0\n\n"
                       "ngridk\n 2 2 2\n\nmaxthd\n 2\n")
    # its threads add up in any order: two untraced runs differ in the eighth decimal
    return ["sh", "-c", f"cp {made} elk.in && elk-lapw && awk '{{printf \"%.6f\\n\", $1}}' TOTENERGY.OUT"]
