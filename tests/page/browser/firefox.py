"""The pages in Firefox, from the file. There is no geckodriver in Debian: Firefox is spoken to in its own protocol, WebDriver
BiDi, on the port that it opens itself. (Playwright's way to an unpatched Firefox asks for commands that Debian's does not have.)"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from numbers_shown import check

NAMES = ["firefox-esr", "firefox"]
READ = Path(__file__).with_name("read.js").read_text("utf-8")


def path():
    return os.environ.get("GLASSBOX_FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    def __init__(self):
        import websocket
        self.profile = tempfile.mkdtemp(prefix="glassbox-firefox-")
        Path(self.profile, "user.js").write_text('user_pref("remote.prefs.recommended", true);\nuser_pref("browser.shell.checkDefaultBrowser", false);\n')
        self.process = subprocess.Popen([path(), "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "MOZ_HEADLESS": "1"})
        address = None
        for line in self.process.stderr:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                address = found.group(1)
                break
        assert address, "Firefox does not open its port"
        import threading
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        self.socket = websocket.create_connection(address + "/session", timeout=60, suppress_origin=True)
        self.events, self.count = [], 0
        self.version = self.ask("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"])
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("script.addPreloadScript", functionDeclaration="() => {" + READ + "}")

    def ask(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("type") == "event":
                self.events.append(message)
            elif message.get("id") == self.count:
                assert message["type"] == "success", f"{method}: {message.get('error')}: {message.get('message')}"
                return message["result"]

    def open(self, url):
        self.events.clear()
        self.ask("browsingContext.navigate", context=self.context, url="about:blank", wait="complete")
        self.events.clear()
        self.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def run(self, expression):
        """The value of an expression, by way of JSON."""
        result = self.ask("script.evaluate", expression=f"Promise.resolve({expression}).then((value) => JSON.stringify(value))",
                          target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result.get("exceptionDetails", {}).get("text")
        return json.loads(result["result"]["value"])

    def close(self):
        try:
            self.socket.send(json.dumps({"id": 0, "method": "browser.close", "params": {}}))
            self.process.wait(timeout=5)
        except Exception:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def test(lab):
    firefox, notes = Firefox(), []
    try:
        for name in ("attention-grad", "encoder-block", "mistake", "diff", "text", "hostile-words"):
            made = lab.pages[name]
            firefox.open(made.url)
            begin = time.monotonic()
            while not firefox.run("document.querySelectorAll('.step .cell[data-exact]').length"):
                assert time.monotonic() - begin < 10, f"{name}: shows no numbers"
            steps = firefox.run(f"lens.everything({lab.seed})")
            if name != "diff":
                compared, _ = check(made, steps)
                notes.append(f"{name} {len(compared)}")
            errors = [each["params"] for each in firefox.events if each["method"] == "log.entryAdded" and each["params"]["level"] in ("error", "warn")]
            assert not errors, f"{name}: {[each.get('text') for each in errors[:3]]}"
            requests = [each["params"]["request"]["url"] for each in firefox.events if each["method"] == "network.beforeRequestSent"]
            assert all(each.split("#")[0] == made.url for each in requests), f"{name}: asked for {requests[:3]}"
            assert not any(each["method"] == "browsingContext.userPromptOpened" for each in firefox.events), f"{name}: opened a dialog"
        return f"Firefox {firefox.version}: {', '.join(notes)} numbers"
    finally:
        firefox.close()


TESTS = [("firefox: the same numbers, and nothing said", test)]
