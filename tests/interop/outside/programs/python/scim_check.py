"""Runs every check of scim2-tester, and prints the results as JSON."""

import json
import os

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

with Client(
    base_url=os.environ["SCIM_URL"],
    headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"},
    timeout=30,
) as http:
    results = check_server(SyncSCIMClient(http))
print(
    json.dumps(
        [
            {
                "title": result.title,
                "status": result.status.name,
                "reason": result.reason,
                "resource": result.resource_type,
            }
            for result in results
        ]
    )
)
