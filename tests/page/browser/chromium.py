"""Debian's Chromium, driven by Playwright.

Playwright rather than Selenium: it speaks the browser's own protocol, so that no driver has to be of the browser's very
version; requests, console, dialogs, errors and paper are seen without detours; and it carries on where the page is busy
instead of timing out."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
READ = Path(__file__).with_name("read.js")
# Time from the start of the navigation to the frame after the first number is there.
WATCH = """(() => {
    const look = () => document.querySelector(".step .cell[data-exact], .step .quiet-note")
        ? requestAnimationFrame(() => (window.shownAfter = performance.now())) : requestAnimationFrame(look);
    look();
})();"""


def path():
    return os.environ.get("GLASSBOX_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Lab:
    """One browser of one process. With is_paced it shows 60 frames a second, as on a screen; else as many as it can."""

    def __init__(self, pages, seed, is_paced=False):
        from playwright.sync_api import sync_playwright
        self.pages, self.seed = pages, seed
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path=path(),
                                                        args=["--disable-gpu", *([] if is_paced else ["--disable-frame-rate-limit", "--disable-gpu-vsync"])])

    def close(self):
        self.browser.close()
        self.playwright.stop()

    @contextmanager
    def opened(self, name, address="", width=1400, height=900, scheme="light", zoom=1, may_ask=0, **more):
        """A fresh page with all that it says: page.log. At the end nothing may have been said or asked for."""
        made = self.pages[name]
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=zoom,
                                           reduced_motion="reduce", **more)
        context.set_default_timeout(15000)
        context.add_init_script(path=str(READ))
        context.add_init_script(WATCH)
        page = context.new_page()
        page.log = Log(page)
        try:
            page.goto(made.url + address)
            page.wait_for_function("() => window.shownAfter !== undefined")
            yield page
            page.log.assert_silent(made.url, may_ask)
        finally:
            context.close()


class Log:
    def __init__(self, page):
        self.said, self.requests, self.dialogs = [], [], []
        page.on("console", lambda message: self.said.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error.stack or error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", self.dialog)

    def dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def assert_silent(self, url, may_ask=0):
        assert not self.said, f"said {self.said[:3]}"
        assert not self.dialogs, f"opened dialogs {self.dialogs[:3]}"
        others = [each for each in self.requests if each.split("#")[0] != url]
        assert len(others) <= may_ask, f"asked for {others[:3]}"
