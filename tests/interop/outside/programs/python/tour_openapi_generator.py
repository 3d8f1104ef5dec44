"""Creates, reads, lists by pages, changes and deletes users, groups and applications with the client of
openapi-generator, and prints what the lists had."""

import json
import os
import re
from urllib.parse import parse_qs, urlparse

from identity_client import (
    ApiClient,
    ApiException,
    ApplicationsApi,
    Configuration,
    GroupRuleInput,
    GroupRuleInputConditionsInner,
    GroupsApi,
    ListConditionInput,
    PatchApplicationsIdRequest,
    PatchGroupsIdRequest,
    PatchUsersIdRequest,
    PostApplicationsRequest,
    PostGroupsRequest,
    PostUsersRequest,
    SamlApplicationInput,
    SamlInput,
    UsersApi,
    WebApplicationInput,
)

LABEL = "Python"


def expect(holds, what):
    if not holds:
        raise AssertionError(f"not so: {what}")


def code_of(call):
    try:
        call()
    except ApiException as refused:
        return refused.data.error.code
    return None


def pages(page):
    """Follows the Link header of each page to the next one."""
    names, count, cursor = [], 0, None
    while True:
        response = page(cursor)
        names += [name_of(each) for each in response.data]
        count += 1
        link = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link") or "")
        if link is None:
            return {"names": names, "pages": count}
        cursor = parse_qs(urlparse(link[1]).query)["cursor"][0]


def name_of(item):
    return getattr(item, "actual_instance", item).name


def users(api):
    ids = []
    for n in range(1, 6):
        body = PostUsersRequest(email=f"python{n}@example.com", name=f"{LABEL} {n}")
        ids.append(api.post_users(body).id)
    twice = PostUsersRequest(email="python1@example.com", name="Twice")
    expect(code_of(lambda: api.post_users(twice)) == "ERR_CONFLICT", "an address twice")
    read = api.get_users_id_with_http_info(ids[0])
    expect(read.data.email == "python1@example.com" and read.data.department is None, "the user as created")
    change = PatchUsersIdRequest(department="Research")
    tag = read.headers["ETag"]
    changed = api.patch_users_id(ids[0], if_match=tag, patch_users_id_request=change)
    expect(changed.department == "Research", "the user as changed")
    stale = code_of(lambda: api.patch_users_id(ids[0], if_match=tag, patch_users_id_request=change))
    expect(stale == "ERR_STALE", "a version of before")
    listed = pages(lambda cursor: api.get_users_with_http_info(q=LABEL, limit=2, cursor=cursor))
    for each in ids:
        api.delete_users_id(each)
    expect(api.get_users_id(ids[0]).status == "deleted", "the user as deleted")
    return listed


def groups(api):
    ids = [api.post_groups(PostGroupsRequest(name=f"{LABEL} {n}")).id for n in (1, 2)]
    condition = ListConditionInput(attribute="department", operator="in", value=["Research", "Sales"])
    rule = GroupRuleInput(match="all", conditions=[GroupRuleInputConditionsInner(condition)])
    ids.append(api.post_groups(PostGroupsRequest(name=f"{LABEL} 3", rule=rule)).id)
    values = api.get_groups_id(ids[2]).rule.conditions[0].value.actual_instance
    expect(values == ["Research", "Sales"], "the rule as created")
    change = PatchGroupsIdRequest(description="Changed")
    changed = api.patch_groups_id(ids[0], patch_groups_id_request=change)
    expect(changed.description == "Changed", "the group as changed")
    listed = pages(lambda cursor: api.get_groups_with_http_info(q=LABEL, limit=2, cursor=cursor))
    for each in ids:
        api.delete_groups_id(each)
    expect(code_of(lambda: api.get_groups_id(ids[0])) == "ERR_NOT_FOUND", "the group as deleted")
    return listed


def applications(api):
    ids = []
    for n in (1, 2):
        web = WebApplicationInput(
            name=f"{LABEL} {n}", protocol="oidc", type="web", redirectUris=["https://app.example.com/callback"]
        )
        made = api.post_applications(PostApplicationsRequest(web)).actual_instance
        expect(made.client_secret is not None, "the secret is shown")
        ids.append(made.id)
    settings = SamlInput(entityId="https://wiki.example.com/python", acsUrls=["https://wiki.example.com/acs"])
    saml = SamlApplicationInput(name=f"{LABEL} 3", protocol="saml", saml=settings)
    ids.append(api.post_applications(PostApplicationsRequest(saml)).actual_instance.id)
    read = api.get_applications_id(ids[2]).actual_instance
    expect(read.saml.entity_id == "https://wiki.example.com/python", "the application as created")
    change = PatchApplicationsIdRequest(description="Changed")
    changed = api.patch_applications_id(ids[0], patch_applications_id_request=change).actual_instance
    expect(changed.description == "Changed", "the application as changed")
    listed = pages(lambda cursor: api.get_applications_with_http_info(q=LABEL, limit=2, cursor=cursor))
    for each in ids:
        api.delete_applications_id(each)
    expect(code_of(lambda: api.get_applications_id(ids[0])) == "ERR_NOT_FOUND", "the application as deleted")
    return listed


client = ApiClient(
    Configuration(host=f"{os.environ['BASE_URL']}/api/v1", access_token=os.environ["API_KEY"])
)
print(
    json.dumps(
        {
            "users": users(UsersApi(client)),
            "groups": groups(GroupsApi(client)),
            "applications": applications(ApplicationsApi(client)),
        }
    )
)
