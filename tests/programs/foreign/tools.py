"""Programs of several kinds: archives, numbers, climate, circuits."""
from . import inputs
from .recipes import recipe


@recipe("par2", "par2", "C++", needs=["par2"], ignore="MB/s|%|[Tt]ime")
def par2(folder):
    data = folder / "data"
    data.write_bytes(bytes(range(256)) * 10_000)
    return ["sh", "-c", f"cp {data} data && par2 create -q -t2 -r10 data.par2 data && par2 verify -q data.par2"]


@recipe("primecount", "primecount-bin", "C++", needs=["primecount"], ignore="[Ss]econds|%")
def primecount(_):
    return ["primecount", "2e13", "--threads=2"]



@recipe("cdo", "cdo", "C++", needs=["cdo"], ignore=r"\[[0-9.]+s|seconds|CPU|memory")
def cdo(_):
    return ["sh", "-c", "cdo -s -P 2 -f nc random,r180x90,1 in.nc && cdo -s -P 2 remapbil,r90x45 in.nc out.nc && "
            "cdo -s -P 2 -outputf,%9.5f,6 -smooth,nsmooth=4 out.nc && rm in.nc out.nc"]



@recipe("gretl", "gretl", "C", needs=["gretlcli"],
        ignore="[Tt]ime|gretl version|Copyright|[0-9]+:[0-9]+|Current session")
def gretl(folder):
    script = inputs.text(folder / "script.inp", "set verbose off\nset seed 7\nmatrix a = mnormal(900, 900)\n"
                         "matrix b = a'a\nmatrix c = inv(b + 900*I(900))\nprintf \"%.6f\\n\", tr(c)\n")
    return ["gretlcli", "-b", script]
