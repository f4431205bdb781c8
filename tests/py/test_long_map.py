"""What a browser makes of the pages of berth map: they draw without asking for anything,
names are text, keys and pointer work, and 20,000 operators are no trouble. Skipped by
name where chromium is not. `pytest -s` prints the milliseconds."""

import time

import pytest

from browser import DOWN, ENTER, ESCAPE, LEFT, RIGHT, UP, Browser, need_browser
from long_model import HOSTILE, hostile_model, long_model
from support import ROOT, bundled_models, run

VWW = ROOT / "examples/models/vww96_int8.tflite"


@pytest.fixture(scope="module")
def browser():
    need_browser()
    with Browser() as page:
        yield page


def drawn(browser, path, folder, *options):
    place = folder / "map.html"
    done = run("map", path, "-o", place, *options)
    assert done.returncode == 0, done.stderr
    browser.log()
    milliseconds = browser.open(place)
    assert browser.log() == []  # no error, nothing that the policy had to stop
    return milliseconds


def colours(browser):
    """How many pixels of the map are not its background."""
    return browser.run("""
        const c = document.getElementById('base'), copy = document.createElement('canvas');
        copy.width = c.width; copy.height = c.height;
        const g = copy.getContext('2d', { willReadFrequently: true });
        g.drawImage(c, 0, 0);
        const d = g.getImageData(0, 0, c.width, c.height).data, seen = new Set();
        for (let i = 0; i < d.length; i += 4)
          if (d[i + 3] === 255) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
        return seen.size""")


def details(browser):
    return browser.run("return document.getElementById('side').innerText")


def heading(browser):
    return browser.run("return document.querySelector('#side h2').textContent")


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_every_strategy_of_every_bundled_model_draws(browser, path, tmp_path):
    drawn(browser, path, tmp_path)
    for name in ("size-best", "online", "none", "tflite", "tflm", "best"):
        browser.run("document.querySelector('input[value=' + arguments[0] + ']').click()", name)
        assert browser.run("return document.body.dataset.strategy") == name
        assert browser.run("return document.body.dataset.peakTensor") != ""
        assert colours(browser) > 4
    assert browser.log() == []


def test_twenty_thousand_operators_open_zoom_and_name_the_peak(browser, tmp_path):
    path = tmp_path / "long.tflite"
    path.write_bytes(long_model(20000))
    began = time.monotonic()
    inside = drawn(browser, path, tmp_path)
    whole = 1000 * (time.monotonic() - began)
    assert browser.run("return document.body.dataset.peakTensor") == "layer/peak"
    assert "layer/peak" in details(browser)
    frames = browser.run("""
        return new Promise((done) => {
          const began = performance.now(); let left = 20;
          const next = () => { if (left-- === 0) return done((performance.now() - began) / 20);
            document.getElementById(left % 2 ? 'in' : 'out').click(); requestAnimationFrame(next); };
          next(); })""")
    browser.run("document.getElementById('top').click()")
    assert heading(browser) == "layer/peak"
    print(f"\n20,000 operators: page {inside} ms, with berth map {whole:.0f} ms, "
          f"{frames:.1f} ms a frame")
    assert browser.run("""
        document.getElementById('table').open = true;
        return new Promise((done) => setTimeout(() => done(
          document.querySelectorAll('#body tr').length), 500))""") == 200
    browser.keys(*"/#10001")
    browser.keys(ENTER)
    assert heading(browser) == "layer/peak"
    assert browser.log() == []


def test_hostile_names_stay_text(browser, tmp_path):
    path = tmp_path / "<img src=x onerror=document.title='owned'>.tflite"
    path.write_bytes(hostile_model())
    drawn(browser, path, tmp_path)
    plain = browser.run("return document.querySelectorAll('img, script, iframe, svg, b b').length")
    assert plain == 2  # the data and the script
    browser.run("document.getElementById('table').open = true")
    time.sleep(0.3)
    browser.keys(*"/script", ENTER)
    seen = browser.run("return document.body.innerText")
    for name in HOSTILE:
        if name.isascii() and name and name.decode().isprintable():
            assert name.decode() in seen, name
    # What would turn a line around is written out.
    for hidden in ("\u202e", "\u2028", "\0", "\x1b"):
        assert hidden not in seen
    assert "\\u202e" in seen and "\\xff" in seen
    browser.keys("p")
    for _ in range(len(HOSTILE)):
        browser.keys(RIGHT)
    browser.pointer(400, 400, click=True)
    assert "owned" not in browser.run("return document.title").replace("='owned'", "")
    assert browser.run("return document.querySelectorAll('img, script, iframe, svg').length") == plain
    assert browser.log() == []


def test_the_keys_go_where_they_say(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    browser.keys("p")
    assert heading(browser) == browser.run("return document.body.dataset.peakTensor")
    walk = [heading(browser)]
    for key in (DOWN, UP, RIGHT, LEFT):
        browser.keys(key)
        walk.append(heading(browser))
    # Below it, back, what comes next on its bytes, and back.
    assert walk[:3] == ["pw1", "dw1", "pw1"] and walk[3] not in ("pw1", "dw1")
    assert walk[4] in ("pw1", "conv0")
    assert "bytes at" in browser.run("return document.getElementById('said').textContent")
    browser.keys(ENTER)
    assert browser.run("return document.activeElement.id") == "side"
    browser.keys(ESCAPE)
    assert browser.run("return document.activeElement.id") == "plot"
    assert heading(browser) == "The peak"
    browser.keys(*"/dw11")
    assert browser.run("return document.getElementById('find').getAttribute('aria-expanded')") == "true"
    browser.keys(ENTER)
    assert heading(browser) == "dw11"
    browser.keys("+", "+", "-", "0")
    assert browser.log() == []


def neighbours(data, row, i):
    """By the data alone: who lies where, seen from tensor i. One span each."""
    def box(k):
        return (*data["spans"][k], row["offset"][k], row["offset"][k] + data["bytes"][k])
    born, dead, low, high = box(i)
    found = {"Shares bytes with": set(), "Above": set(), "Below": set(),
             "Before it on these bytes": set(), "After it on these bytes": set()}
    for k, index in enumerate(data["index"]):
        if k == i or row["offset"][k] < 0:
            continue
        b, d, lo, hi = box(k)
        if b < dead and born < d:
            found["Shares bytes with" if lo < high and low < hi
                  else "Above" if lo >= high else "Below"].add(f"#{index}")
        elif lo < high and low < hi:
            found["After it on these bytes" if b >= dead else "Before it on these bytes"].add(
                f"#{index}")
    return {key: value for key, value in found.items() if value}


def test_the_neighbours_are_those_that_there_are(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    data = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    for i, index in enumerate(data["index"]):
        if data["rows"][0]["offset"][i] < 0:
            continue
        browser.keys(*f"/#{index}", ENTER)
        told = browser.run("""
            const found = {};
            for (const h of document.querySelectorAll('#side h3'))
              found[h.textContent] = [...h.nextSibling.children].map((li) => li.innerText);
            return found""")
        expected = neighbours(data, data["rows"][0], i)
        assert set(told) == set(expected)
        for title, lines in told.items():
            more = [int(line.split()[1]) for line in lines if line.startswith("and ")]
            named = {line.splitlines()[1].split()[0] for line in lines
                     if not line.startswith("and ")}
            assert named <= expected[title]
            assert len(named) + sum(more) == len(expected[title])


def test_the_details_are_those_of_the_report(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    browser.keys("p")
    told = details(browser)
    for words in ("1×48×48×16", "36,864", "18,432 to 55,296", "step 2 to 4",
                  "operator 2 CONV_2D", "operator 3 DEPTHWISE_CONV_2D"):
        assert words in told


def test_hover_and_click_tell_the_same(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    x, y = browser.run("""
        const box = document.getElementById('plot').getBoundingClientRect();
        return [box.left + box.width * .2, box.top + box.height * .4]""")
    browser.pointer(x, y)
    tip = browser.run("const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText")
    browser.pointer(x, y, click=True)
    assert tip and heading(browser) == tip.splitlines()[0]


def test_light_and_dark(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    grounds = []
    for _ in range(3):
        grounds.append(browser.run("return getComputedStyle(document.documentElement).backgroundColor"))
        browser.run("document.getElementById('theme').click()")
    assert grounds[0] == grounds[1] != grounds[2]  # system (light), light, dark
    with Browser(dark=True) as other:
        drawn(other, VWW, tmp_path)
        assert other.run("return getComputedStyle(document.documentElement).backgroundColor") == grounds[2]


def test_no_network_is_asked_for(browser, tmp_path):
    drawn(browser, VWW, tmp_path)
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.run("""
        return new Promise((done) => {
          document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));
          const image = new Image(); image.src = 'http://localhost:1/x.png';
          setTimeout(() => done('nothing was stopped'), 2000); })""") == "img-src"


def test_lists_of_buffers_draw(browser, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("id,lower,upper,size,offset\n<b>a,0,20,4,0\nb,10,30,4,4\nc,30,1000000,8,0\n")
    drawn(browser, path, tmp_path)
    assert browser.run("return document.body.dataset.strategy") == "given"
    browser.keys(*"/<b>", ENTER)
    assert heading(browser) == "<b>a"
    path.write_text("id,lower,upper,size\n")
    drawn(browser, path, tmp_path)
    assert "Nothing takes bytes" in details(browser)
