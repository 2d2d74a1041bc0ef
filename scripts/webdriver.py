"""Headless Chromium for the scripts beside this, by WebDriver (w3.org/TR/webdriver2) and Python 3 alone."""

import base64
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request

CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
SCRIPT_MS = 600_000


class Browser:
    """A session of Chromium. What it refuses ends the script with its words."""

    def __init__(self):
        arguments = ["chromedriver", "--port=0", "--log-level=SEVERE"]
        try:
            self.driver = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        except FileNotFoundError:
            sys.exit("no chromedriver; Debian: apt install chromium chromium-driver")
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                break
        else:
            sys.exit("chromedriver did not start")
        self.address = f"http://127.0.0.1:{found[1]}/session"
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"args": CHROMIUM}}}
        self.address += "/" + self.call("", {"capabilities": wanted})["sessionId"]
        self.call("/timeouts", {"script": SCRIPT_MS})

    def call(self, path, body):
        """The value that a command of the session returns."""
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"the browser refuses {path} {body}: {error.read().decode()}")

    def open(self, address):
        self.call("/url", {"url": address})

    def run(self, script):
        """What a script in the page returns."""
        return self.call("/execute/sync", {"script": script, "args": []})

    def run_async(self, script, *arguments):
        """What a script in the page gives to the function that is its last argument."""
        return self.call("/execute/async", {"script": script, "args": arguments})

    def tell(self, command, **parameters):
        """A command of the Chrome DevTools Protocol."""
        return self.call("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self, path):
        shot = self.tell("Page.captureScreenshot", captureBeyondViewport=False)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE")).close()
        self.driver.terminate()
        self.driver.wait()
