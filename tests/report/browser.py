"""Headless Chromium through the WebDriver protocol, with Python's standard library alone.

    with Browser(width=1200, height=900) as browser:
        browser.open("file:///tmp/index.html")
        browser.run("return document.title")
"""

import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that WebDriver names elements by


def find_programs():
    """Paths of Chromium and its driver; None where one is missing."""
    return shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")


class Browser:
    def __init__(self, width=1200, height=900):
        chromium, driver = find_programs()
        self.folder = tempfile.TemporaryDirectory(prefix="nmt-browser-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.server = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "HOME": self.folder.name})
        self.address = f"http://127.0.0.1:{port}"
        self.session = ""
        try:
            self.wait_for_server()
            # No sandbox: it cannot be set up as root or inside a container, and the pages are our own.
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--hide-scrollbars", "--force-device-scale-factor=1", f"--window-size={width},{height}",
                         f"--user-data-dir={self.folder.name}/profile"]
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": {"binary": chromium, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = f"/session/{made['sessionId']}"
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.server.terminate()
            self.server.wait()
            self.folder.cleanup()

    def wait_for_server(self):
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("chromedriver did not answer within 20 s")

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from None

    def open(self, address):
        self.call("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *arguments):
        """The value of the script's `return`."""
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script):
        """What the script gives to its last argument, a function."""
        return self.call("POST", f"{self.session}/execute/async", {"script": script, "args": []})

    def command(self, name, **parameters):
        """One of the browser's own (DevTools) commands."""
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def console(self):
        """What the console holds since the last call: a list of (level, message)."""
        return [(entry["level"], entry["message"])
                for entry in self.call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def find(self, selector):
        return self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})

    def point_at(self, selector):
        """Moves the mouse to the middle of the element."""
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        self.call("POST", f"{self.session}/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element}]}]})

    def press(self, selector, keys):
        """Types into the element, which takes the focus."""
        self.call("POST", f"{self.session}/element/{self.find(selector)[ELEMENT]}/value", {"text": keys})

    def press_active(self, keys):
        element = self.call("GET", f"{self.session}/element/active")
        self.call("POST", f"{self.session}/element/{element[ELEMENT]}/value", {"text": keys})

    def click(self, selector):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        self.call("POST", f"{self.session}/element/{element[ELEMENT]}/click")

    def choose(self, selector, value):
        """Sets a <select> as a reader does."""
        self.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
                 self.find(selector), value)

    def prefer(self, scheme):
        """The reader's preference: "light" or "dark"."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, whole_page=False):
        parameters = {"format": "png", "captureBeyondViewport": whole_page}
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("Page.captureScreenshot", **parameters)["data"]))
