"""Creates, reads, lists by pages, changes and deletes users, groups and applications with the client of
openapi-python-client, and prints what the lists had."""

import json
import os
import re
from urllib.parse import parse_qs, urlparse

from identity_api import AuthenticatedClient
from identity_api.api.applications import (
    delete_applications_id,
    get_applications,
    get_applications_id,
    patch_applications_id,
    post_applications,
)
from identity_api.api.groups import delete_groups_id, get_groups, get_groups_id, patch_groups_id, post_groups
from identity_api.api.users import delete_users_id, get_users, get_users_id, patch_users_id, post_users
from identity_api.models import (
    GroupRuleInput,
    GroupRuleInputMatch,
    ListConditionInput,
    PatchApplicationsIdBody,
    PatchGroupsIdBody,
    PatchUsersIdBody,
    PostGroupsBody,
    PostUsersBody,
    SamlApplicationInput,
    SamlInput,
    WebApplicationInput,
)
from identity_api.types import UNSET

LABEL = "Attrs"

client = AuthenticatedClient(base_url=f"{os.environ['BASE_URL']}/api/v1", token=os.environ["API_KEY"])


def expect(holds, what):
    if not holds:
        raise AssertionError(f"not so: {what}")


def code_of(result):
    return result.error.code


def pages(operation):
    """Follows the Link header of each page to the next one."""
    names, count, cursor = [], 0, UNSET
    while True:
        response = operation.sync_detailed(client=client, q=LABEL, limit=2, cursor=cursor)
        names += [each.name for each in response.parsed]
        count += 1
        link = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link", ""))
        if link is None:
            return {"names": names, "pages": count}
        cursor = parse_qs(urlparse(link[1]).query)["cursor"][0]


def users():
    ids = []
    for n in range(1, 6):
        body = PostUsersBody(email=f"attrs{n}@example.com", name=f"{LABEL} {n}")
        ids.append(post_users.sync(client=client, body=body).id)
    twice = PostUsersBody(email="attrs1@example.com", name="Twice")
    expect(code_of(post_users.sync(client=client, body=twice)) == "ERR_CONFLICT", "an address twice")
    read = get_users_id.sync_detailed(ids[0], client=client)
    expect(read.parsed.email == "attrs1@example.com" and read.parsed.department is None, "the user as created")
    change = PatchUsersIdBody(department="Research")
    tag = read.headers["ETag"]
    changed = patch_users_id.sync(ids[0], client=client, body=change, if_match=tag)
    expect(changed.department == "Research", "the user as changed")
    stale = patch_users_id.sync(ids[0], client=client, body=change, if_match=tag)
    expect(code_of(stale) == "ERR_STALE", "a version of before")
    listed = pages(get_users)
    for each in ids:
        delete_users_id.sync(each, client=client)
    expect(get_users_id.sync(ids[0], client=client).status.value == "deleted", "the user as deleted")
    return listed


def groups():
    ids = [post_groups.sync(client=client, body=PostGroupsBody(name=f"{LABEL} {n}")).id for n in (1, 2)]
    condition = ListConditionInput(attribute="department", operator="in", value=["Research", "Sales"])
    rule = GroupRuleInput(match=GroupRuleInputMatch.ALL, conditions=[condition])
    ids.append(post_groups.sync(client=client, body=PostGroupsBody(name=f"{LABEL} 3", rule=rule)).id)
    read = get_groups_id.sync(ids[2], client=client)
    expect(read.rule.conditions[0].value == ["Research", "Sales"], "the rule as created")
    change = PatchGroupsIdBody(description="Changed")
    expect(patch_groups_id.sync(ids[0], client=client, body=change).description == "Changed", "the group as changed")
    listed = pages(get_groups)
    for each in ids:
        delete_groups_id.sync(each, client=client)
    expect(code_of(get_groups_id.sync(ids[0], client=client)) == "ERR_NOT_FOUND", "the group as deleted")
    return listed


def applications():
    ids = []
    for n in (1, 2):
        web = WebApplicationInput(
            name=f"{LABEL} {n}", protocol="oidc", type_="web", redirect_uris=["https://app.example.com/callback"]
        )
        made = post_applications.sync(client=client, body=web)
        expect(isinstance(made.client_secret, str), "the secret is shown")
        ids.append(made.id)
    settings = SamlInput(entity_id="https://wiki.example.com/attrs", acs_urls=["https://wiki.example.com/acs"])
    saml = SamlApplicationInput(name=f"{LABEL} 3", protocol="saml", saml=settings)
    ids.append(post_applications.sync(client=client, body=saml).id)
    read = get_applications_id.sync(ids[2], client=client)
    expect(read.saml.entity_id == "https://wiki.example.com/attrs", "the application as created")
    change = PatchApplicationsIdBody(description="Changed")
    changed = patch_applications_id.sync(ids[0], client=client, body=change)
    expect(changed.description == "Changed", "the application as changed")
    listed = pages(get_applications)
    for each in ids:
        delete_applications_id.sync(each, client=client)
    expect(code_of(get_applications_id.sync(ids[0], client=client)) == "ERR_NOT_FOUND", "the application as deleted")
    return listed


print(json.dumps({"users": users(), "groups": groups(), "applications": applications()}))
