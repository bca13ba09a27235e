"""Runs the examples of the README, in their order, at a running service."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unittest
from pathlib import Path
from typing import Any, Dict

from service import KEY, SITE, TITLE, URL

README = Path(os.environ.get("README", Path(__file__).resolve().parent.parent / "README.md"))


class TestReadme(unittest.TestCase):
    def test_examples(self) -> None:
        examples = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)
        self.assertGreater(len(examples), 5)
        names: Dict[str, Any] = {"__name__": "readme"}
        said = io.StringIO()
        for number, example in enumerate(examples, 1):
            for written, real in [("https://api.example.com", URL), ("tp_…", KEY), ("https://example.com/", SITE)]:
                example = example.replace(written, real)
            with self.subTest(example=number), contextlib.redirect_stdout(said):
                exec(compile(example, f"README.md, example {number}", "exec"), names)
        self.assertIn(TITLE, said.getvalue())
        self.assertIn("0.01 0x", said.getvalue())
        self.assertIn("400 validation_error", said.getvalue())
        self.assertEqual(names["receive"](b"{}", {}), 401)


if __name__ == "__main__":
    unittest.main()
