/** The requirements of the service, by id. Titles of tests begin with the id of the requirement that they prove. */
export interface RequirementGroup {
  readonly title: string
  /** Statements by id. */
  readonly statements: Readonly<Record<string, string>>
}

export const requirementGroups: readonly RequirementGroup[] = [
  {
    title: 'Identifiers and conventions',
    statements: {
      'ID-01': 'ids are `<prefix><26-character ULID>`; one module owns the prefixes',
      'ID-02':
        'client id `sv_…`, client secret `svs_…` (web and service apps only, shown once), API key `svk_…` (shown once, only a hash stored), webhook secret `whsec_…` (shown once)',
      'ID-03': 'JSON fields camelCase, times RFC 3339, actions without a result return 204',
    },
  },
  {
    title: 'Assignment',
    statements: {
      'ASG-01': 'until at least one group is assigned to an application nobody can sign in to it',
      'ASG-02':
        'a user outside every assigned group gets 403 `ERR_NOT_ASSIGNED` (OIDC, SAML, launch, device)',
      'ASG-03':
        'every token, refresh, userinfo and introspection request checks that the user is still active and assigned, from the moment at which the change was acknowledged',
    },
  },
  {
    title: 'Provider',
    statements: {
      'OIDC-01': 'the discovery document has every member that clients read; issuer = SVC_PUBLIC_URL',
      'OIDC-02': 'authorization code flow, response_type `code` only',
      'OIDC-03': 'PKCE S256 only; mandatory for single-page and native applications; `plain` rejected',
      'OIDC-04': 'redirect URIs match exactly; https except `http://localhost` and `http://127.0.0.1`',
      'OIDC-05': 'web and service clients authenticate with a secret; public clients have none',
      'OIDC-06':
        'refresh token only with `offline_access`; each use returns a new one and invalidates the old one, unless rotation is off for the application',
      'OIDC-07':
        'reuse of a rotated refresh token or a used code fails and revokes the tokens issued from it',
      'OIDC-08': 'client credentials for service applications',
      'OIDC-09':
        'device grant: `/oauth2/device_authorization` only for the built-in `svc-cli`; approval in the browser',
      'OIDC-10': 'userinfo GET and POST with bearer token; claims per scope',
      'OIDC-11': 'introspection with the client secret over HTTP Basic',
      'OIDC-12': 'revocation',
      'OIDC-13':
        "logout revokes the application's tokens for the user; with `id_token_hint` it also ends the session in the token",
      'OIDC-14':
        'ID token RS256, 15 min default, claims of requested scopes incl. `groups`, `amr`, `sid`, `email_verified` rule',
      'OIDC-15':
        'access token opaque by default, 15 min; JWT for service applications, the CLI client and applications granted scopes on an API resource',
      'OIDC-16': 'refresh token lifetime 8 h default; lifetimes and rotation per application',
      'OIDC-17':
        'JWKS with the current key and those replaced in the last 7 days; rotation by a global administrator; 2048-bit',
      'OIDC-18': '`groups` claim: names of all groups, assigned and rule-based',
      'OIDC-19':
        '`amr`: `hwk` passkey/security key, `fed` identity provider, `otp` authenticator app, recovery code or magic link',
      'OIDC-20':
        '`ERR_REAUTH_REQUIRED` when the application requires the user to sign in again (prompt=login, max_age)',
    },
  },
  {
    title: 'API resources',
    statements: {
      'APR-01': 'identifier (URL-like) and scopes; applications are granted scopes',
      'APR-02':
        '`resource` (RFC 8707) adds every scope granted on that API; supported only in authorization, device authorization and client credentials requests',
      'APR-03': 'a resource without a grant fails with `invalid_target`',
      'APR-04':
        'JWT payload: iss, sub, aud (array), exp, iat, nbf, jti (`atk_`), client_id, scope; no email, name, groups',
      'APR-05':
        'a JWT stays valid until `exp` after revocation; the validation rules for APIs work with a real JWT library (1 min skew)',
    },
  },
  {
    title: 'Identity provider',
    statements: {
      'SAML-01': 'metadata; its URL is the entity id; certificate as PEM',
      'SAML-02': 'SSO over HTTP-Redirect and HTTP-POST, SP-initiated',
      'SAML-03': 'IdP-initiated `/saml/launch/{appId}`',
      'SAML-04': 'NameID email by default; `persistent` sends the user id; `unspecified` the email',
      'SAML-05': 'attributes email, name, given_name, family_name, groups, renamable per application',
      'SAML-06':
        'RSA-SHA256, 2048-bit; assertion signed; the whole response too if the application expects it',
      'SAML-07': 'application by entityId and acsUrls, or by `metadataXml`',
      'SAML-08': 'certificate rotation (`/saml/certificate/rotate`, `/saml/certificates/{id}`)',
      'SAML-09':
        'documented as not supported: single logout, encrypted assertions, verification of AuthnRequest signatures, ForceAuthn, IsPassive',
    },
  },
  {
    title: 'Server',
    statements: {
      'SCIM-01':
        '`/scim/v2` Users and Groups: GET, POST, PUT, PATCH, DELETE; ServiceProviderConfig, ResourceTypes, Schemas',
      'SCIM-02': 'API key with scope `scim` of a service account with the user administrator role',
      'SCIM-03':
        'a single `eq` filter: userName, emails.value, externalId (users); displayName, externalId (groups)',
      'SCIM-04': 'startIndex and count; at most 200 per page',
      'SCIM-05': 'bulk, sorting, ETags and password changes are not supported, and declared as such',
    },
  },
  {
    title: 'SCIM client',
    statements: {
      'SCX-01': 'runs every 2 minutes and when an administrator requests a sync',
      'SCX-02':
        'POST creates each active assigned user; PUT on a change of name, email, title, department; 409 → GET by userName and update; PATCH active=false when the user is no longer assigned or active',
      'SCX-03': 'never deletes; users only',
      'SCX-04': '`ERR_NOT_CONFIGURED`, `ERR_TOKEN_UNREADABLE`, `ERR_SCIM_CONNECTION`',
    },
  },
  {
    title: 'JSON management API',
    statements: {
      'API-01': 'every route group exists, with the operations that its resources need and with roles',
      'API-02':
        'OpenAPI 3.1 at `/api/v1/openapi.yaml` without authentication lists every route, roles, schemas, error codes; routes and document are the same set',
      'API-03': 'body ≤ 1 MiB, JSON; PATCH changes only the fields sent; PUT replaces the whole record',
      'API-04': 'error body `{error:{code,message}}`; a test reaches every code',
      'API-05':
        'unknown field → 400 `ERR_INVALID_JSON`; missing/invalid → 422 `ERR_INVALID` naming field and format',
      'API-06': 'every JSON response carries `Cache-Control: no-store`',
      'API-07': 'POST /users returns user, enrollUrl, expiresAt (7 days), emailed; link works once',
      'API-08':
        'PUT /users/{id}/roles: complete list, role keys, global administrator only; GET shows display names',
      'API-09':
        '`/me` and `/me/…`; `GET /me` requires a session; a CLI token is accepted on `/me/…`; API keys are ignored on `/me…` and `/auth/…`',
      'API-10': '`/me/approvals` and `/access-requests/{id}/approve`; no self-approval (`ERR_SELF_APPROVAL`)',
      'API-11': 'logo ≤ 256 KB else 413 `ERR_TOO_LARGE`',
      'API-12': 'domains verified by TXT (`ERR_NOT_VERIFIED`)',
      'API-13': '`svc-cli` cannot be deleted (`ERR_BUILT_IN`)',
      'API-14': '`/dev/outbox` only with SVC_DEV=1',
      'API-15': '`/healthz` returns 200 `ok` if the database responds',
    },
  },
  {
    title: 'Authentication of callers',
    statements: {
      'AUT-01': 'session cookie `svc_session`: HttpOnly, 12 h default, signing out ends it',
      'AUT-02':
        'API key: scope `api`, exactly the roles of its service account; invalid when revoked or expired, or when the account is disabled',
      'AUT-03': '401 `ERR_UNAUTHENTICATED` / 403 `ERR_FORBIDDEN`',
      'AUT-04':
        'same-origin rule: Sec-Fetch-Site cross-site or foreign Origin on unsafe methods → 403 `ERR_CROSS_SITE`; requests with neither header are allowed',
      'AUT-05': 'roles: global_admin, security_admin, user_admin, helpdesk_admin, app_admin, auditor',
    },
  },
  {
    title: 'Sign-in methods and policies',
    statements: {
      'SGN-01':
        'passkeys / security keys (WebAuthn), with `ERR_CEREMONY_EXPIRED`, `ERR_REGISTRATION_FAILED`, `ERR_PASSKEY_REJECTED`',
      'SGN-02':
        'authenticator app (TOTP) and recovery codes, each code once; `ERR_CODE_MISMATCH`, `ERR_TOO_MANY_ATTEMPTS`',
      'SGN-03': 'magic link; enrolment link; `ERR_LINK_EXPIRED`',
      'SGN-04': 'federated sign-in (OIDC and SAML upstream); linked accounts',
      'SGN-05': '`ERR_LAST_METHOD`, `ERR_ACCOUNT_SUSPENDED`',
      'SGN-06': 'policies: block, require a passkey, per application / group / zone / device / risk',
      'SGN-07': 'network zones, devices, risk events',
    },
  },
  {
    title: 'Governance',
    statements: {
      'GOV-01': 'access packages, requests, approvals, expiry',
      'GOV-02': 'access reviews',
      'GOV-03': 'lifecycle rules',
    },
  },
  {
    title: 'Certificate authority',
    statements: {
      'SSH-01': '`/ssh/ca.pub`, principal mappings, short-lived certificates accepted by a real OpenSSH sshd',
      'SSH-02': '`ERR_NO_PRINCIPALS`',
    },
  },
  {
    title: 'Webhooks',
    statements: {
      'WHK-01':
        'url https (http only for localhost, `.localhost`, loopback); 1–50 entries: exact, `x.*`, `*`; only events after creation',
      'WHK-02': 'envelope id, type, time (RFC 3339 microseconds `Z`), data; audit and sign-in events',
      'WHK-03':
        'checks for events every 10 s, sends those ≥ 5 s old; POST with the three headers; `User-Agent: Svc-Webhooks`',
      'WHK-04': '`Svc-Signature: t=…,v1=hex hmac-sha256(t.body)` keyed with the whole secret',
      'WHK-05': '2xx within 10 s delivered; redirects not followed; 3xx failure',
      'WHK-06': 'retry after 30 s, 1, 2, 4, 8, 16, 32 min; 8 attempts, then failed',
      'WHK-07': 'queued once per endpoint per event; retry has the same body and id, new signature',
      'WHK-08': '50 most recent deliveries with status, attempts, HTTP status, error, exact body',
      'WHK-09': 'pausing: events during the pause are never sent, pending deliveries resume',
      'WHK-10':
        'test event `webhook.test` immediately, with the result in the response; event-types lists families',
      'WHK-11': 'secret encrypted with SVC_SECRET_KEY, unchangeable; deleting an endpoint deletes its log',
      'WHK-12': 'security administrators manage endpoints, every administrator can read them',
    },
  },
  {
    title: 'Audit and sign-in events',
    statements: {
      'AUD-01': 'every change is an audit event; actorId is null for the service itself',
      'AUD-02': 'every sign-in attempt is a sign-in event (`sign_in.success|failure|interrupted`)',
    },
  },
  {
    title: 'The `svc` binary',
    statements: {
      'CLI-01': 'serve, migrate, bootstrap, rotate-secret-key, seed-demo (SVC_DEV), dev-session (SVC_DEV)',
      'CLI-02':
        'login, whoami, ssh-cert, logout; `credentials.json` mode 0600 in the user configuration directory; refreshes tokens automatically',
      'CLI-03':
        'rotate-secret-key fails while the service runs; afterwards only the new key decrypts the stored secrets',
    },
  },
  {
    title: 'The event log',
    statements: {
      'EVT-01':
        'every change of state is a command that becomes events in the log; only projections write read models',
      'EVT-02':
        'EventStoreDB through `@eventstore/db-client`; an embedded default works without installing anything',
      'EVT-03': 'read models are disposable: after they are dropped and replayed they are identical',
      'EVT-04': 'audit log, webhook stream and outbound SCIM run as subscribers on the same log',
      'EVT-05': 'audit history can be replayed to any point in time',
    },
  },
]
