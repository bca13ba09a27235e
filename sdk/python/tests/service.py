"""The service that the tests use, as the environment names it."""

import os

URL = os.environ["TURNPIKE_URL"]
KEY = os.environ["TURNPIKE_KEY"]
WALLET_KEY = os.environ["WALLET_KEY"]
SITE = os.environ["SITE"]
TITLE = os.environ["TITLE"]
