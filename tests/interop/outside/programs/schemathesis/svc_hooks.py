"""Gives every request a credential that its operation takes. Requests sign sessions out and revoke keys, so the test that
runs this hands out new ones."""

import json
import os
from urllib.request import urlopen

import schemathesis


@schemathesis.auth(refresh_interval=2)
class Credentials:
    def get(self, case, context):
        with urlopen(os.environ["CREDENTIALS_URL"]) as response:
            return json.load(response)

    def set(self, case, credentials, context):
        kinds = {kind for way in case.operation.definition.raw["security"] for kind in way}
        case.headers = case.headers or {}
        if "session" in kinds:
            case.cookies = case.cookies or {}
            name, value = credentials["session"].split("=", 1)
            case.cookies[name] = value
        elif "api_key" in kinds:
            case.headers["Authorization"] = f"Bearer {credentials['api_key']}"
