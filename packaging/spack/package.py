# Not tried: there is no Spack where Stave is developed. tests/anywhere/package_files holds version and libraries.
# docs/INSTALL.md says how to use it; it names no address to fetch sources from: `spack dev-build` takes yours.
from spack.package import *


class Stave(MesonPackage):
    """Tracer of OpenMP programs that writes OTF2 archives."""

    version("0.3.0")

    variant("pictures", default=True, description="stave timeline draws .png, .pdf and .svg too")

    variant("database", default=True, description="stave export -f sqlite (and queries)")

    depends_on("c", type="build")
    depends_on("meson@0.62:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("otf2@3.0:")
    depends_on("userspace-rcu")
    depends_on("jansson@2.8:")
    depends_on("binutils@2.35:")
    depends_on("sqlite@3.25:", when="+database")
    depends_on("cairo+pdf+png+svg", when="+pictures")

    def meson_args(self):
        return [
            "--wrap-mode=nodownload",
            "-Dtests=disabled",
            "-Dpictures=" + ("enabled" if self.spec.satisfies("+pictures") else "disabled"),
            "-Ddatabase=" + ("enabled" if self.spec.satisfies("+database") else "disabled"),
        ]

    def setup_run_environment(self, env):
        env.set("STAVE_LIBRARY", join_path(self.prefix.lib, "libstave.so"))
