package example;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A web application that signs users in with Spring Security. "/" asks for a sign-in and shows what it knows of the user.
 * Spring refreshes an access token in its last minute: with tokens of one minute, on every visit.
 */
@SpringBootApplication
@RestController
public class SignIn {
  public static void main(String[] args) {
    SpringApplication.run(SignIn.class, args);
  }

  @GetMapping("/")
  Map<String, String> home(
      @AuthenticationPrincipal OidcUser user,
      @RegisteredOAuth2AuthorizedClient("svc") OAuth2AuthorizedClient client) {
    String token = client.getAccessToken().getTokenValue();
    return Map.of("sub", user.getSubject(), "email", user.getEmail(), "accessToken", token);
  }
}
