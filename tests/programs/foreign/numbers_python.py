"""Programs of Python: each is a script of its own, run by Debian's Python."""
from . import inputs
from .recipes import recipe

PYTHON = "/usr/bin/python3"
BLAS = "libopenblas0-openmp"


def python_script(name, package, text, modules, more=(), language="Python", **other):
    @recipe(name, package, language, needs=[PYTHON], more=more, modules=modules, **other)
    def prepare(folder, times=1):
        repeated = text if times == 1 else f"for _ in range({times}):\n    exec({text!r})\n"
        return [PYTHON, "-B", inputs.text(folder / "script.py", repeated)]
    return prepare


python_script("numpy", "python3-numpy", """
import numpy
a = numpy.random.RandomState(1).rand(700, 700)
for _ in range(5):
    b = a @ a.T
print(round(float(b.trace()), 6), round(float(numpy.linalg.eigvalsh(b[:500, :500])[-1]), 6))
print(round(float(numpy.linalg.solve(b + numpy.eye(700), a[:, 0]).sum()), 6))
""", ("numpy",), more=(BLAS,))

python_script("scipy", "python3-scipy", """
import numpy, scipy.linalg, scipy.sparse, scipy.sparse.linalg
a = numpy.random.RandomState(2).rand(500, 500)
print(round(float(scipy.linalg.svdvals(a)[0]), 6), round(float(numpy.abs(scipy.linalg.det(a[:9, :9]))), 9))
m = scipy.sparse.diags([1.0, -2.5, 1.0], [-1, 0, 1], shape=(20000, 20000), format="csc")
print(round(float(scipy.sparse.linalg.spsolve(m, numpy.ones(20000)).sum()), 3))
""", ("scipy", "numpy"), more=(BLAS,))

python_script("sklearn-kmeans", "python3-sklearn", """
import numpy
from sklearn.cluster import KMeans
x = numpy.random.RandomState(0).rand(10000, 16)
model = KMeans(12, n_init=2, max_iter=40, random_state=0).fit(x)
print(round(model.inertia_, 4), sorted(numpy.bincount(model.labels_)))
""", ("sklearn", "numpy"), more=(BLAS,))

python_script("sklearn-boosting", "python3-sklearn", """
import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
x = numpy.random.RandomState(1).rand(8000, 20)
y = (x[:, 0] + x[:, 1] * x[:, 2] > 0.8).astype(int)
model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(x, y)
print(round(model.score(x, y), 5))
""", ("sklearn", "numpy"), more=(BLAS,))

python_script("sklearn-processes", "python3-sklearn", """
import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
x = numpy.random.RandomState(3).rand(1500, 10)
y = (x.sum(axis=1) > 5).astype(int)
print(cross_val_score(SVC(), x, y, cv=4, n_jobs=2).round(5))
print(cross_val_score(RandomForestClassifier(20, random_state=0), x, y, cv=3, n_jobs=2).round(5))
""", ("sklearn", "numpy"), more=(BLAS,), has_openmp=False)

python_script("pandas-numexpr", "python3-pandas", """
import numexpr, numpy, pandas
frame = pandas.DataFrame(numpy.random.RandomState(4).rand(1000000, 4), columns=list("abcd"))
frame["e"] = frame.eval("a * b + sin(c) / (1 + d)")
print(frame.groupby((frame.a * 20).astype(int)).e.mean().round(6).to_string())
print(round(float(numpy.cov(frame.to_numpy().T).trace()), 6))
""", ("pandas", "numexpr"), more=("python3-numexpr", BLAS), has_openmp=False)

# A process that has had a team may not fork and use OpenMP again: libgomp waits for threads that are not there.
python_script("multiprocessing", "python3-numpy", """
import multiprocessing, numpy
def f(seed):
    a = numpy.random.RandomState(seed).rand(400, 400)
    return round(float(numpy.linalg.inv(a @ a.T + numpy.eye(400)).trace()), 6)
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        print(pool.map(f, range(12)))
""", ("numpy",), more=(BLAS,))

python_script("torch", "python3-torch", """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(2000, 64), torch.randint(0, 10, (2000,))
for _ in range(60):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print(torch.get_num_threads(), f"{loss.item():.4f}")
""", ("torch",), more=(BLAS,))

python_script("xgboost", "python3-xgboost", """
import numpy, xgboost
x = numpy.random.RandomState(5).rand(8000, 20)
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0.7).astype(int)
model = xgboost.XGBClassifier(n_estimators=20, max_depth=6, n_jobs=2, random_state=0).fit(x, y)
print(round(float(model.score(x, y)), 5))
""", ("xgboost",))

python_script("numba", "python3-numba", """
import numba, numpy
numba.config.THREADING_LAYER = "omp"
@numba.njit(parallel=True)
def f(x):
    total = 0.0
    for n in numba.prange(x.shape[0]):
        total += numpy.sin(x[n]) ** 2
    return total
x = numpy.arange(4000000) / 1000.0
for _ in range(20):
    total = f(x)
print(round(total, 3), numba.threading_layer())
""", ("numba",))

python_script("skimage", "python3-skimage", """
import numpy
from skimage import filters, restoration
x = numpy.random.RandomState(6).rand(200, 200)
print(round(float(restoration.rolling_ball(x * 255, radius=12, num_threads=2).sum()), 5))
print(round(float(filters.gaussian(x, 3).sum()), 5), round(float(restoration.unwrap_phase(x * 6).sum()), 3))
""", ("skimage",))

python_script("pykdtree", "python3-pykdtree", """
import numpy
from pykdtree.kdtree import KDTree
points = numpy.random.RandomState(7).rand(200000, 3)
distance, index = KDTree(points).query(points[:100000] + 0.001, k=4)
print(round(float(distance.sum()), 6), int(index.sum()))
""", ("pykdtree",))

python_script("pot", "python3-pot", """
import numpy, ot
r = numpy.random.RandomState(8)
a, b = r.rand(600, 2), r.rand(600, 2)
print(round(float(ot.emd2([], [], ot.dist(a, b))), 8))
print(round(float(ot.sinkhorn2([1 / 600] * 600, [1 / 600] * 600, ot.dist(a, b), 0.1)), 8))
""", ("ot",), more=(BLAS,))

python_script("silx", "python3-silx", """
import numpy
from silx.math import Histogramnd
from silx.image import bilinear, medianfilter, marchingsquares
x = numpy.random.RandomState(9).rand(800, 800)
print(round(float(medianfilter.medfilt2d(x, (9, 9)).sum()), 6))
print(sum(len(p) for p in marchingsquares.find_contours(medianfilter.medfilt2d(x, (9, 9)), 0.5)))
""", ("silx",))

python_script("mdanalysis", "python3-mdanalysis", """
import numpy
from MDAnalysis.lib import distances
r = numpy.random.RandomState(10)
a = (r.rand(3000, 3) * 50).astype("float32")
for _ in range(4):
    d = distances.distance_array(a, a, box=[50, 50, 50, 90, 90, 90], backend="OpenMP")
print(round(float(d.sum()), -1))
""", ("MDAnalysis",))

python_script("faiss", "python3-faiss", """
import faiss, numpy
x = numpy.random.RandomState(11).rand(20000, 32).astype("float32")
index = faiss.IndexFlatL2(32)
index.add(x)
d, i = index.search(x[:2000], 5)
print(round(float(d.sum()), 1), int(i.sum()))
""", ("faiss",), more=(BLAS,))

python_script("igraph", "python3-igraph", """
import igraph, random
random.seed(1)
g = igraph.Graph.Barabasi(3000, 3)
print(len(g.community_multilevel()) > 0, round(sum(g.pagerank()), 6), g.diameter() > 0)
""", ("igraph",), more=(BLAS,))
