"""Programs that make pictures and sounds of others."""
from . import inputs
from .recipes import recipe

# MagickCoreTerminus calls omp_init_lock for a lock that MagickCoreGenesis has initialised (objdump -d).
IMAGEMAGICK = "lock-init"


@recipe("imagemagick", "imagemagick", "C", needs=["convert-im6.q16"], findings=IMAGEMAGICK, ignore="date:|Date")
def imagemagick(folder, times=1):
    picture = inputs.picture(folder / "picture.ppm", 500, 400)
    return ["convert-im6.q16", picture, *times * ("-distort", "SRT", "20", "-despeckle", "-blur", "0x4"),
            "-resize", "150%", "made.ppm"]


@recipe("imagemagick-script", "imagemagick", "C", needs=["convert-im6.q16", "identify-im6.q16"], findings=IMAGEMAGICK)
def imagemagick_script(folder):
    """A shell that starts 40 short programs."""
    picture = inputs.picture(folder / "picture.ppm", 200, 150)
    return ["sh", "-c", "n=0; while [ $n -lt 20 ]; do n=$((n+1)); convert-im6.q16 "
            f"{picture} -rotate $n -blur 0x2 $n.ppm && identify-im6.q16 -format '%f %m %wx%h\\n' $n.ppm; done"]


@recipe("graphicsmagick", "graphicsmagick", "C", needs=["gm"])
def graphicsmagick(folder, times=1):
    picture = inputs.picture(folder / "picture.ppm", 600, 450)
    return ["gm", "convert", picture, *times * ("-gaussian", "3x2", "-median", "2"), "-rotate", "15", "-resize", "120%",
            "made.ppm"]


@recipe("rawtherapee", "rawtherapee", "C++", needs=["rawtherapee-cli", "convert-im6.q16"],
        findings=IMAGEMAGICK, more=("imagemagick",),
        ignore=r"[Tt]ime|ms\b", ignore_files="cache")
def rawtherapee(folder):
    picture = inputs.picture(folder / "picture.ppm", 600, 450)
    return ["sh", "-c", f"convert-im6.q16 {picture} -depth 8 in.tif && "
            "rawtherapee-cli -o made.tif -t -Y -d -c in.tif && convert-im6.q16 made.tif made.ppm && rm in.tif made.tif"]


@recipe("darktable", "darktable", "C", needs=["darktable-cli", "convert-im6.q16"],
        findings=IMAGEMAGICK, more=("imagemagick",),
        ignore=r"^[ 0-9.]+\[|\[export_job\]|[0-9.]+ secs", ignore_files="config|cache|made.tif|in.tif")
def darktable(folder):
    picture = inputs.picture(folder / "picture.ppm", 600, 450)
    return ["sh", "-c", f"convert-im6.q16 {picture} -depth 8 in.tif && darktable-cli in.tif made.tif --core "
            "--configdir $PWD/config --cachedir $PWD/cache --library :memory: --disable-opencl && "
            "convert-im6.q16 made.tif made.ppm"]


@recipe("gmic", "gmic", "C++", needs=["gmic"], ignore=r"\[gmic\]|[0-9.]+ s\b")
def gmic(folder):
    picture = inputs.picture(folder / "picture.ppm", 600, 400)
    return ["gmic", picture, "blur", "3", "denoise", "20,20", "rotate", "12", "output", "made.ppm"]




@recipe("tesseract", "tesseract-ocr", "C++", needs=["tesseract", "convert-im6.q16"], findings=IMAGEMAGICK,
        more=("tesseract-ocr-eng", "imagemagick", "fonts-dejavu-core"))
def tesseract(folder):
    picture = folder / "text.png"
    words = " ".join(f"line {number} of a text" for number in range(6))
    return ["sh", "-c", f"convert-im6.q16 -font DejaVu-Sans -pointsize 28 -size 800x600 caption:'{words}' {picture} && "
            f"tesseract {picture} stdout"]
