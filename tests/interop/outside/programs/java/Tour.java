import com.google.gson.Gson;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.ApplicationsApi;
import org.openapitools.client.api.GroupsApi;
import org.openapitools.client.api.UsersApi;
import org.openapitools.client.model.Application;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.Group;
import org.openapitools.client.model.GroupRuleInput;
import org.openapitools.client.model.GroupRuleInputConditionsInner;
import org.openapitools.client.model.InvitedUser;
import org.openapitools.client.model.ListConditionInput;
import org.openapitools.client.model.ListedUser;
import org.openapitools.client.model.OidcApplication;
import org.openapitools.client.model.PatchApplicationsIdRequest;
import org.openapitools.client.model.PatchGroupsIdRequest;
import org.openapitools.client.model.PatchUsersIdRequest;
import org.openapitools.client.model.PostApplicationsRequest;
import org.openapitools.client.model.PostGroupsRequest;
import org.openapitools.client.model.PostUsersRequest;
import org.openapitools.client.model.SamlApplicationInput;
import org.openapitools.client.model.SamlInput;
import org.openapitools.client.model.User;
import org.openapitools.client.model.WebApplicationInput;

/**
 * Creates, reads, lists by pages, changes and deletes users, groups and applications with the generated client, and prints
 * what the lists had.
 */
public final class Tour {
  private static final String LABEL = "Java";
  private static final Pattern NEXT = Pattern.compile("<[^>]*[?&]cursor=([^>&]*)[^>]*>; rel=\"next\"");

  /** What a list had: its names in order, and on how many pages. */
  record Listing(List<String> names, int pages) {}

  interface Page<T> {
    ApiResponse<List<T>> at(String cursor) throws ApiException;
  }

  interface Call {
    void run() throws ApiException;
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new IllegalStateException("not so: " + what);
  }

  /** The code of a refusal. */
  private static String codeOf(Call call) throws Exception {
    try {
      call.run();
      return "";
    } catch (ApiException refused) {
      return Error.fromJson(refused.getResponseBody()).getError().getCode();
    }
  }

  private static String header(ApiResponse<?> response, String name) {
    for (Map.Entry<String, List<String>> each : response.getHeaders().entrySet())
      if (each.getKey().equalsIgnoreCase(name)) return each.getValue().get(0);
    return "";
  }

  /** Follows the Link header of each page to the next one. */
  private static <T> Listing pages(Page<T> page, Function<T, String> nameOf) throws ApiException {
    List<String> names = new ArrayList<>();
    String cursor = null;
    for (int count = 1; ; count++) {
      ApiResponse<List<T>> response = page.at(cursor);
      response.getData().forEach(each -> names.add(nameOf.apply(each)));
      Matcher link = NEXT.matcher(header(response, "Link"));
      if (!link.find()) return new Listing(names, count);
      cursor = URLDecoder.decode(link.group(1), StandardCharsets.UTF_8);
    }
  }

  private static PostUsersRequest user(int n, String name) {
    return new PostUsersRequest().email("java" + n + "@example.com").name(name);
  }

  private static Listing users(UsersApi api) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int n = 1; n <= 5; n++) {
      InvitedUser made = api.postUsers(user(n, LABEL + " " + n), null);
      ids.add(made.getId());
    }
    expect(codeOf(() -> api.postUsers(user(1, "Twice"), null)).equals("ERR_CONFLICT"), "an address twice");
    ApiResponse<User> read = api.getUsersIdWithHttpInfo(ids.get(0), null);
    expect(read.getData().getEmail().equals("java1@example.com"), "the user as created");
    expect(read.getData().getDepartment() == null, "no department");
    String tag = header(read, "ETag");
    PatchUsersIdRequest change = new PatchUsersIdRequest().department("Research");
    expect(api.patchUsersId(ids.get(0), tag, change).getDepartment().equals("Research"), "the user as changed");
    expect(codeOf(() -> api.patchUsersId(ids.get(0), tag, change)).equals("ERR_STALE"), "a version of before");
    Listing all =
        pages(
            cursor ->
                api.getUsersWithHttpInfo(
                    null, LABEL, null, null, null, null, null, null, null, 2L, cursor),
            ListedUser::getName);
    for (String id : ids) api.deleteUsersId(id, null);
    expect(api.getUsersId(ids.get(0), null).getStatus().toString().equals("deleted"), "the user as deleted");
    return all;
  }

  private static Listing groups(GroupsApi api) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int n = 1; n <= 3; n++) {
      PostGroupsRequest body = new PostGroupsRequest().name(LABEL + " " + n);
      if (n == 3) {
        ListConditionInput condition =
            new ListConditionInput()
                .attribute("department")
                .operator(ListConditionInput.OperatorEnum.IN)
                .value(List.of("Research", "Sales"));
        body.rule(
            new GroupRuleInput()
                .match(GroupRuleInput.MatchEnum.ALL)
                .conditions(List.of(new GroupRuleInputConditionsInner(condition))));
      }
      ids.add(api.postGroups(body, null).getId());
    }
    Group read = api.getGroupsId(ids.get(2), null);
    Object values = read.getRule().getConditions().get(0).getValue().getActualInstance();
    expect(values.equals(List.of("Research", "Sales")), "the rule as created");
    PatchGroupsIdRequest change = new PatchGroupsIdRequest().description("Changed");
    Group changed = api.patchGroupsId(ids.get(0), null, change);
    expect(changed.getDescription().equals("Changed"), "the group as changed");
    Listing all =
        pages(
            cursor -> api.getGroupsWithHttpInfo(null, LABEL, null, null, 2L, cursor), Group::getName);
    for (String id : ids) api.deleteGroupsId(id, null);
    expect(codeOf(() -> api.getGroupsId(ids.get(0), null)).equals("ERR_NOT_FOUND"), "the group as deleted");
    return all;
  }

  private static String nameOf(Application application) {
    return application.getActualInstance() instanceof OidcApplication oidc
        ? oidc.getName()
        : application.getSamlApplication().getName();
  }

  private static Listing applications(ApplicationsApi api) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int n = 1; n <= 2; n++) {
      WebApplicationInput web =
          new WebApplicationInput()
              .name(LABEL + " " + n)
              .protocol(WebApplicationInput.ProtocolEnum.OIDC)
              .type(WebApplicationInput.TypeEnum.WEB)
              .redirectUris(Set.of(URI.create("https://app.example.com/callback")));
      var made = api.postApplications(new PostApplicationsRequest(web), null).getCreatedOidcApplication();
      expect(made.getClientSecret() != null, "the secret is shown");
      ids.add(made.getId());
    }
    SamlApplicationInput saml =
        new SamlApplicationInput()
            .name(LABEL + " 3")
            .protocol(SamlApplicationInput.ProtocolEnum.SAML)
            .saml(
                new SamlInput()
                    .entityId("https://wiki.example.com/java")
                    .acsUrls(Set.of(URI.create("https://wiki.example.com/acs"))));
    ids.add(api.postApplications(new PostApplicationsRequest(saml), null).getSamlApplication().getId());
    Application read = api.getApplicationsId(ids.get(2), null);
    expect(
        read.getSamlApplication().getSaml().getEntityId().equals("https://wiki.example.com/java"),
        "the application as created");
    PatchApplicationsIdRequest change = new PatchApplicationsIdRequest().description("Changed");
    Application changed = api.patchApplicationsId(ids.get(0), null, change);
    expect(changed.getOidcApplication().getDescription().equals("Changed"), "the application as changed");
    Listing all =
        pages(
            cursor -> api.getApplicationsWithHttpInfo(null, LABEL, null, null, null, null, 2L, cursor),
            Tour::nameOf);
    for (String id : ids) api.deleteApplicationsId(id, null);
    expect(
        codeOf(() -> api.getApplicationsId(ids.get(0), null)).equals("ERR_NOT_FOUND"),
        "the application as deleted");
    return all;
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL") + "/api/v1");
    client.setBearerToken(System.getenv("API_KEY"));
    Map<String, Listing> listings = new LinkedHashMap<>();
    listings.put("users", users(new UsersApi(client)));
    listings.put("groups", groups(new GroupsApi(client)));
    listings.put("applications", applications(new ApplicationsApi(client)));
    System.out.println(new Gson().toJson(listings));
    System.exit(0);
  }
}
