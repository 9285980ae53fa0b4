"""The site, as Sphinx builds it: no dead link, no network, nothing left out."""

import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from sphinx.util.inventory import InventoryFile

import microleak
from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from tests.browser.conftest import CHROMIUM
from tests.docs.pages import PAGES, text

ADDRESSES = {"a": "href", "img": "src", "link": "href", "script": "src"}


DEFINITIONS = ["microleak.definitions"]
for package in (family.package for family in FAMILIES):
    is_there = find_spec(f"{package}.definitions") is not None
    DEFINITIONS.append(f"{package}.{'definitions' if is_there else 'measure'}")


class Page(HTMLParser):
    """The places of a page, the addresses that it links to, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loaded = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.places |= {told[name] for name in ("id", "name") if name in told}
        address = told.get(ADDRESSES.get(tag, ""))
        if address:
            (self.links if tag == "a" else self.loaded).add(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without its gallery's reports; a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going"]
    places = ["-c", "docs/site", "-d", folder / "doctrees", ".", folder / "html"]
    done = subprocess.run(
        [*command, *places], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


@pytest.mark.long
def test_every_link_leads_to_a_file_and_to_a_place_in_it(site, pages):
    dead = []
    for path, page in pages.items():
        for link in page.links | page.loaded:
            address = urlsplit(link)
            if address.scheme:
                continue
            target = (path.parent / unquote(address.path)) if address.path else path
            target = Path(target.resolve())
            place = unquote(address.fragment)
            at_hand = target in pages and (not place or place in pages[target].places)
            if not (at_hand or (target.is_file() and not place)):
                dead.append((path.relative_to(site).as_posix(), link))
    assert dead == []


@pytest.mark.long
def test_no_page_loads_anything_from_a_network(site, pages):
    for page in pages.values():
        assert [each for each in page.loaded if urlsplit(each).netloc] == []
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\W*(https?:)?//", style.read_text())


@pytest.mark.long
def test_every_page_of_the_documentation_is_in_the_contents(site, pages):
    start = pages[site / "README.html"]
    linked = {(site / link.partition("#")[0]).resolve() for link in start.links}
    shown = [name for name in PAGES if not name.startswith((".github/", "README"))]
    missing = [
        name for name in shown if (site / name).with_suffix(".html") not in linked
    ]
    assert missing == []


@pytest.mark.long
def test_the_first_page_opens_under_the_usual_name(site):
    assert "url=README.html" in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_search_needs_no_server(site):
    address = f"{(site / 'search.html').as_uri()}?q=delta-presence"
    options = ["--headless", "--no-sandbox", "--disable-gpu"]
    options += ["--virtual-time-budget=10000", "--dump-dom"]
    shown = subprocess.run(
        [CHROMIUM, *options, address], check=True, capture_output=True, text=True
    ).stdout
    assert 'href="docs/results.html' in shown.partition('id="search-results"')[2]


def documented(site):
    with (site / "objects.inv").open("rb") as file:
        names = InventoryFile.load(file, "", lambda _, path: path)
    return {name for kind in names if kind.startswith("py:") for name in names[kind]}


@pytest.mark.long
def test_the_reference_has_the_whole_interface(site):
    offered = {f"microleak.{name}" for name in microleak.__all__}
    assert offered - documented(site) == set()


@pytest.mark.long
@pytest.mark.parametrize("package", DEFINITIONS)
def test_the_reference_has_every_definition_of_a_family(site, package):
    whole = import_module(package)
    modules = [
        import_module(f"{package}.{each.name}")
        for each in iter_modules(getattr(whole, "__path__", ()))
    ] or [whole]
    public = {
        f"{module.__name__}.{name}"
        for module in modules
        for name, found in vars(module).items()
        if (inspect.isclass(found) or inspect.isfunction(found))
        and found.__module__ == module.__name__
        and not name.startswith("_")
    }
    assert public
    assert public - documented(site) == set()


@pytest.mark.workflow
@pytest.mark.long
def test_the_gallery_has_of_each_example_its_report_and_nothing_else(tmp_path):
    command = [sys.executable, "docs/site/examples.py", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    made = {path.name for path in (tmp_path / "gallery").iterdir()}
    wanted = {
        yaml.safe_load((ROOT / fence.split()[0]).read_text(encoding="utf-8"))["study"]
        for fence in re.findall(r"\{example\} (.+)", text("docs/gallery.md"))
    }
    assert {name for name in made if not name.endswith(".png")} == wanted
    for name in wanted:
        copied = {path.name for path in (tmp_path / "gallery" / name).iterdir()}
        assert {"index.html"} <= copied <= {"index.html", "data", "figures"}
