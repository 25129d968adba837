"""Recipe for Spack. scripts/release.sh writes it with the version and checksum of a tarball: put that one into a
repository of yours as packages/einloom/package.py, and call `spack install einloom` where the tarball lies.
"""
import os

from spack.package import *


class Einloom(CMakePackage, CudaPackage):
    """Plans and runs graphs of extended Einstein summations on any number of MPI ranks."""

    url = f"file://{os.getcwd()}/einloom-@VERSION@.tar.gz"
    manual_download = True
    license("Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    variant("python", default=True, description="Python module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-numpy@1.20:", type="run", when="+python")
    depends_on("mpi@3:")
    depends_on("openblas")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("spdlog@1.10:")
    depends_on("flatbuffers@2:")
    depends_on("zlib-api")
    depends_on("xxhash")
    depends_on("xbyak", type="build", when="target=x86_64:")

    generator("ninja")
    conflicts("%gcc@:11", msg="Einloom is C++20: GCC 12 or newer")

    def cmake_args(self):
        args = [
            self.define("EIN_BUILD_TESTS", False),
            self.define_from_variant("EIN_WITH_CUDA", "cuda"),
            self.define("EIN_OPENBLAS", self.spec["openblas"].libs.joined(";")),
            self.define("EIN_PYTHON_DIR", python_platlib),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("EIN_CUDA_INCLUDE", self.spec["cuda"].prefix.include))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix, python_platlib))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def runs_a_graph(self):
        graph = join_path(self.prefix.share.doc.einloom, "examples", "first.json")
        einplan = which(self.prefix.bin.einplan)
        einplan(graph, "-n", "1", "-o", "first.sched")
        einrun = which(self.prefix.bin.einrun)
        einrun("first.sched", "--verify", "--quiet")
