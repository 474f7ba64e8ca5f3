"""Programs of R and Octave."""
from . import inputs
from .recipes import recipe

BLAS = ("libopenblas0-openmp",)


def r_script(name, package, text, **more):
    @recipe(name, package, "R", needs=["Rscript"], **more)
    def prepare(folder, times=1):
        repeated = text if times == 1 else f"for (again in 1:{times}) {{\n{text}\n}}\n"
        return ["Rscript", "--vanilla", inputs.text(folder / "script.R", repeated)]
    return prepare


r_script("r-data.table", "r-cran-data.table", """
suppressMessages(library(data.table))
setDTthreads(2)
set.seed(1)
t <- data.table(group = sample(5000, 1e6, TRUE), x = runif(1e6))
setkey(t, group)
s <- t[, .(mean = mean(x), n = .N), by = group]
print(s[1:5]); print(nrow(s))
fwrite(s, "table.csv")
print(fread("table.csv")[order(-mean)][1:5])
""")

r_script("r-blas", "r-base-core", """
set.seed(2)
a <- matrix(rnorm(360000), 600)
for (n in 1:4) b <- crossprod(a)
print(sum(diag(b))); print(solve(b + diag(600), a[, 1])[1:3]); print(svd(a[, 1:200])$d[1:3])
""", more=BLAS)

r_script("r-mgcv", "r-cran-mgcv", """
suppressMessages(library(mgcv))
set.seed(3)
n <- 20000
d <- data.frame(x = runif(n), z = runif(n), w = runif(n))
d$y <- sin(6 * d$x) + d$z^2 + rnorm(n) / 5
print(summary(bam(y ~ s(x, k = 40) + s(z, k = 40) + s(w), data = d, discrete = TRUE, nthreads = 2))$r.sq)
""", more=BLAS)

r_script("r-rtsne", "r-cran-rtsne", """
library(Rtsne)
set.seed(4)
x <- matrix(rnorm(800 * 10), 800)
r <- Rtsne(x, num_threads = 2, max_iter = 150, verbose = FALSE)
print(dim(r$Y))
""")

r_script("r-stringdist", "r-cran-stringdist", """
library(stringdist)
set.seed(5)
words <- replicate(1500, paste(sample(letters, 12, TRUE), collapse = ""))
m <- stringdistmatrix(words, words, method = "osa", nthread = 2)
print(sum(m)); print(range(m[upper.tri(m)]))
""")

r_script("r-parallel", "r-base-core", """
library(parallel)
f <- function(n) { set.seed(n); a <- matrix(rnorm(90000), 300); sum(solve(crossprod(a) + diag(300))) }
print(signif(unlist(mclapply(1:12, f, mc.cores = 3)), 6))
""", more=BLAS)


@recipe("octave-blas", "octave", "Octave", needs=["octave-cli"], more=BLAS)
def octave_blas(folder):
    return ["octave-cli", "--no-init-file", inputs.text(folder / "script.m", """
rand ("twister", 1);
a = rand (700);
for n = 1:4, b = a' * a; end
printf ("%.6e %.6e\\n", trace (b), norm (b \\ a(:, 1)));
e = sort (eig (b(1:300, 1:300)));
printf ("%.6e\\n", e(end));
""")]


@recipe("octave-fft", "octave", "Octave", needs=["octave-cli"], more=("libfftw3-double3",),
        has_openmp=False)
def octave_fft(folder):
    """FFTW has threads of its own there."""
    return ["octave-cli", "--no-init-file", inputs.text(folder / "script.m", """
rand ("twister", 1);
fftw ("threads", 2);
x = rand (512, 512);
for n = 1:8, y = abs (ifft2 (fft2 (x) .* fft2 (x'))); end
printf ("%.6e\\n", sum (y(:)));
""")]
