#!/usr/bin/env python3
"""web.py BROWSER: what a page for a browser does in Chromium without a screen. Reads lines of JSON, {"method": ..., "params": ...} as the
DevTools protocol has them, or {"eval": EXPRESSION}, {"open": FILE}, {"png": FILE}, {"pdf": FILE}, {"keys": [KEY, ...]}, {"move": [X, Y]},
{"click": [X, Y]}, {"wheel": [X, Y, DELTA]}; prints the answer to each, one line of JSON. At the end {"console": [...]}: what the page
complained about, and {"network": [...]}: what it asked for."""
import base64
import json
import os
import subprocess
import sys
import tempfile


class Browser:
    def __init__(self, program, profile):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # It reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_read, from_write), "bash", program, "--headless", "--remote-debugging-pipe",
             "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", "--user-data-dir=" + profile,
             "--window-size=1280,720"],
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.to, self.answers, self.number = os.fdopen(to_write, "wb"), os.fdopen(from_read, "rb"), 0
        self.rest, self.console, self.network, self.loaded = b"", [], [], False
        self.session = None
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable", {})

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 1 << 16)
            if not more:
                sys.exit("web.py: the browser ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Log.entryAdded":
            self.console.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.console.append("console." + params["type"])
        elif method == "Network.requestWillBeSent":
            self.network.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True
        return message

    def ask(self, method, params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        self.to.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit("web.py: %s: %s" % (method, answer["error"]["message"]))
                return answer["result"]

    def load(self, address):
        self.loaded = False
        self.ask("Page.navigate", {"url": address})
        while not self.loaded:
            self.receive()

    def open(self, path):
        self.load("about:blank")  # going to another place of the same page loads nothing
        file, mark, place = path.partition("#")
        self.load("file://" + os.path.abspath(file) + mark + place)

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            sys.exit("web.py: %s: %s" % (expression, result["exceptionDetails"]["exception"]["description"]))
        return result["result"].get("value")

    def settle(self):
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", dict({"type": kind, "x": x, "y": y}, **more))

    def do(self, order):
        if "open" in order:
            self.open(order["open"])
        elif "eval" in order:
            return self.evaluate(order["eval"])
        elif "png" in order:
            picture = self.ask("Page.captureScreenshot", {"captureBeyondViewport": bool(order.get("all"))})
            open(order["png"], "wb").write(base64.b64decode(picture["data"]))
        elif "pdf" in order:
            paper = self.ask("Page.printToPDF", {"printBackground": True, "landscape": True})
            open(order["pdf"], "wb").write(base64.b64decode(paper["data"]))
        elif "keys" in order:
            for key in order["keys"]:
                words = {"key": key, "code": key}
                if len(key) == 1:
                    words = {"key": key, "text": key}
                elif key == "Enter":
                    words["text"] = "\r"
                    words["windowsVirtualKeyCode"] = 13
                elif key.startswith("Arrow"):
                    words["windowsVirtualKeyCode"] = {"Left": 37, "Up": 38, "Right": 39, "Down": 40}[key[5:]]
                self.ask("Input.dispatchKeyEvent", dict({"type": "keyDown"}, **words))
                self.ask("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        elif "move" in order:
            self.mouse("mouseMoved", *order["move"])
        elif "click" in order:
            self.mouse("mouseMoved", *order["click"])
            self.mouse("mousePressed", *order["click"], button="left", clickCount=1)
            self.mouse("mouseReleased", *order["click"], button="left", clickCount=1)
        elif "drag" in order:
            x0, y0, x1, y1 = order["drag"]
            self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
            self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left")
            self.mouse("mouseMoved", x1, y1, button="left")
            self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        elif "wheel" in order:
            x, y, delta = order["wheel"]
            self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=2)
        else:
            return self.ask(order["method"], order.get("params", {}))
        self.settle()
        return True


def main():
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(sys.argv[1], profile)
        for line in sys.stdin:
            print(json.dumps(browser.do(json.loads(line))), flush=True)
        print(json.dumps({"console": browser.console}))
        print(json.dumps({"network": browser.network}))
        browser.session = None
        browser.ask("Browser.close", {})
        browser.process.wait()


main()
