// Creates, reads, lists by pages, changes and deletes users, groups and applications with the generated client, and
// prints what the lists had.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"

	"tour/identity"
)

const label = "Go"

// What a list had: its names in order, and on how many pages.
type listing struct {
	Names []string `json:"names"`
	Pages int      `json:"pages"`
}

func check(err error) {
	if err == nil {
		return
	}
	var refused *identity.GenericOpenAPIError
	if errors.As(err, &refused) {
		fmt.Fprintln(os.Stderr, string(refused.Body()))
	}
	panic(err)
}

func expect(holds bool, what string) {
	if !holds {
		panic("not so: " + what)
	}
}

// codeOf gives the code of a refusal.
func codeOf(err error) string {
	var refused *identity.GenericOpenAPIError
	if !errors.As(err, &refused) {
		return ""
	}
	switch model := refused.Model().(type) {
	case identity.Error:
		return model.Error.Code
	default:
		return fmt.Sprintf("%T", model)
	}
}

var next = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// pages follows the Link header of each page to the next one.
func pages(page func(cursor *string) ([]string, *http.Response, error)) listing {
	var all listing
	var cursor *string
	for {
		names, response, err := page(cursor)
		check(err)
		all.Names = append(all.Names, names...)
		all.Pages++
		link := next.FindStringSubmatch(response.Header.Get("Link"))
		if link == nil {
			return all
		}
		address, err := url.Parse(link[1])
		check(err)
		value := address.Query().Get("cursor")
		cursor = &value
	}
}

func users(ctx context.Context, api *identity.UsersAPIService) listing {
	var ids []string
	for n := 1; n <= 5; n++ {
		body := identity.NewPostUsersRequest(fmt.Sprintf("go%d@example.com", n), fmt.Sprintf("%s %d", label, n))
		made, _, err := api.PostUsers(ctx).PostUsersRequest(*body).Execute()
		check(err)
		ids = append(ids, made.Id)
	}
	_, _, err := api.PostUsers(ctx).PostUsersRequest(*identity.NewPostUsersRequest("go1@example.com", "Twice")).Execute()
	expect(codeOf(err) == "ERR_CONFLICT", "an address twice")
	read, response, err := api.GetUsersId(ctx, ids[0]).Execute()
	check(err)
	expect(read.Email == "go1@example.com" && read.Department.Get() == nil, "the user as created")
	change := identity.NewPatchUsersIdRequest()
	change.SetDepartment("Research")
	tag := response.Header.Get("ETag")
	changed, _, err := api.PatchUsersId(ctx, ids[0]).IfMatch(tag).PatchUsersIdRequest(*change).Execute()
	check(err)
	expect(*changed.Department.Get() == "Research", "the user as changed")
	_, _, err = api.PatchUsersId(ctx, ids[0]).IfMatch(tag).PatchUsersIdRequest(*change).Execute()
	expect(codeOf(err) == "ERR_STALE", "a version of before")
	all := pages(func(cursor *string) ([]string, *http.Response, error) {
		request := api.GetUsers(ctx).Q(label).Limit(2)
		if cursor != nil {
			request = request.Cursor(*cursor)
		}
		page, response, err := request.Execute()
		var names []string
		for _, each := range page {
			names = append(names, each.Name)
		}
		return names, response, err
	})
	for _, id := range ids {
		_, err := api.DeleteUsersId(ctx, id).Execute()
		check(err)
	}
	gone, _, err := api.GetUsersId(ctx, ids[0]).Execute()
	check(err)
	expect(gone.Status == "deleted", "the user as deleted")
	return all
}

func groups(ctx context.Context, api *identity.GroupsAPIService) listing {
	var ids []string
	for n := 1; n <= 3; n++ {
		body := identity.NewPostGroupsRequest(fmt.Sprintf("%s %d", label, n))
		if n == 3 {
			condition := identity.NewListConditionInput("department", "in", []string{"Research", "Sales"})
			body.SetRule(*identity.NewGroupRuleInput("all", []identity.GroupRuleInputConditionsInner{
				identity.ListConditionInputAsGroupRuleInputConditionsInner(condition),
			}))
		}
		made, _, err := api.PostGroups(ctx).PostGroupsRequest(*body).Execute()
		check(err)
		ids = append(ids, made.Id)
	}
	read, _, err := api.GetGroupsId(ctx, ids[2]).Execute()
	check(err)
	values := read.Rule.Get().Conditions[0].Value.ArrayOfString
	expect(len(*values) == 2, "the rule as created")
	change := identity.NewPatchGroupsIdRequest()
	change.SetDescription("Changed")
	changed, _, err := api.PatchGroupsId(ctx, ids[0]).PatchGroupsIdRequest(*change).Execute()
	check(err)
	expect(*changed.Description.Get() == "Changed", "the group as changed")
	all := pages(func(cursor *string) ([]string, *http.Response, error) {
		request := api.GetGroups(ctx).Q(label).Limit(2)
		if cursor != nil {
			request = request.Cursor(*cursor)
		}
		page, response, err := request.Execute()
		var names []string
		for _, each := range page {
			names = append(names, each.Name)
		}
		return names, response, err
	})
	for _, id := range ids {
		_, err := api.DeleteGroupsId(ctx, id).Execute()
		check(err)
	}
	_, _, err = api.GetGroupsId(ctx, ids[0]).Execute()
	expect(codeOf(err) == "ERR_NOT_FOUND", "the group as deleted")
	return all
}

func applications(ctx context.Context, api *identity.ApplicationsAPIService) listing {
	var ids []string
	for n := 1; n <= 2; n++ {
		web := identity.NewWebApplicationInput(fmt.Sprintf("%s %d", label, n), "oidc", "web", []string{"https://app.example.com/callback"})
		body := identity.WebApplicationInputAsPostApplicationsRequest(web)
		made, _, err := api.PostApplications(ctx).PostApplicationsRequest(body).Execute()
		check(err)
		expect(made.CreatedOidcApplication.ClientSecret != nil, "the secret is shown")
		ids = append(ids, made.CreatedOidcApplication.Id)
	}
	settings := identity.NewSamlInput("https://wiki.example.com/go", []string{"https://wiki.example.com/acs"})
	saml := identity.NewSamlApplicationInput(label+" 3", "saml", *settings)
	body := identity.SamlApplicationInputAsPostApplicationsRequest(saml)
	made, _, err := api.PostApplications(ctx).PostApplicationsRequest(body).Execute()
	check(err)
	ids = append(ids, made.SamlApplication.Id)
	read, _, err := api.GetApplicationsId(ctx, ids[2]).Execute()
	check(err)
	expect(read.SamlApplication.Saml.EntityId == "https://wiki.example.com/go", "the application as created")
	change := identity.NewPatchApplicationsIdRequest()
	change.SetDescription("Changed")
	changed, _, err := api.PatchApplicationsId(ctx, ids[0]).PatchApplicationsIdRequest(*change).Execute()
	check(err)
	expect(*changed.OidcApplication.Description.Get() == "Changed", "the application as changed")
	all := pages(func(cursor *string) ([]string, *http.Response, error) {
		request := api.GetApplications(ctx).Q(label).Limit(2)
		if cursor != nil {
			request = request.Cursor(*cursor)
		}
		page, response, err := request.Execute()
		var names []string
		for _, each := range page {
			if each.OidcApplication != nil {
				names = append(names, each.OidcApplication.Name)
			} else {
				names = append(names, each.SamlApplication.Name)
			}
		}
		return names, response, err
	})
	for _, id := range ids {
		_, err := api.DeleteApplicationsId(ctx, id).Execute()
		check(err)
	}
	_, _, err = api.GetApplicationsId(ctx, ids[0]).Execute()
	expect(codeOf(err) == "ERR_NOT_FOUND", "the application as deleted")
	return all
}

func main() {
	configuration := identity.NewConfiguration()
	configuration.Servers = identity.ServerConfigurations{{URL: os.Getenv("BASE_URL") + "/api/v1"}}
	client := identity.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), identity.ContextAccessToken, os.Getenv("API_KEY"))
	check(json.NewEncoder(os.Stdout).Encode(map[string]listing{
		"users":        users(ctx, client.UsersAPI),
		"groups":       groups(ctx, client.GroupsAPI),
		"applications": applications(ctx, client.ApplicationsAPI),
	}))
}
