"""A headless Chromium to look at pages with, through chromedriver and nothing else.

  with Browser(width, height) as page:
      page.open(path)
      page.run("return document.title")
      page.keys("/", "p", ENTER)

Debian: chromium and chromium-driver (tools/setup dev). need_browser() skips a test, by
name, where they are not."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN, TAB = (
    "\ue007", "\ue00c", "\ue012", "\ue013", "\ue014", "\ue015", "\ue004")


def need_browser():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium and chromium-driver are not here (tools/setup dev)")


class Browser:
    def __init__(self, width=1440, height=900, dark=False, scale=1):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.root = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 f"--window-size={width},{height}", f"--force-device-scale-factor={scale}"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"}}}}
        for attempt in range(100):
            try:
                self.session = self.call("POST", "/session", wanted)["sessionId"]
                break
            except (urllib.error.URLError, ConnectionError):
                if attempt == 99 or self.driver.poll() is not None:
                    self.driver.kill()
                    raise
                time.sleep(0.1)

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.root + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def ask(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)

    def open(self, path):
        """Loads the page and waits until it has drawn; milliseconds of the page."""
        self.ask("POST", "/url", {"url": Path(path).resolve().as_uri()})
        for _ in range(300):
            ready = self.run("return document.body.dataset.ready || ''")
            if ready:
                return int(ready)
            time.sleep(0.05)
        raise AssertionError(f"the page never got ready: {self.log()}")

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def keys(self, *keys):
        actions = []
        for key in keys:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.ask("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def pointer(self, x, y, click=False):
        actions = [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": actions}]})

    def log(self):
        """What the browser complained about: blocked requests, errors of scripts."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))
