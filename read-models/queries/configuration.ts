import type pg from 'pg'
import type {
  ApplicationFields,
  OidcApplicationType,
  OidcSettings,
  SamlSettings,
} from '../../domain/application/events.ts'
import type { LogoVersion } from '../../domain/logo.ts'
import type {
  IdentityProviderSettings,
  OauthConnection,
  OauthProviderType,
  SamlConnection,
} from '../../domain/identity-provider/events.ts'
import type { MethodSetting, MethodType } from '../../domain/method-settings/events.ts'
import type { NetworkZone } from '../../domain/network-zone/matcher.ts'
import type { Policy } from '../../domain/policy/evaluate.ts'
import type { OrganizationSettings } from '../../domain/organization/events.ts'
import type { Instant } from '../../domain/time.ts'

export interface SecretRow {
  readonly id: string
  readonly hash: string
  readonly expiresAt: Instant | null
}

interface AnyApplicationConfiguration {
  readonly id: string
  readonly status: 'active' | 'disabled'
  readonly builtIn: boolean
  readonly name: string
  /** The uploaded logo; null for none */
  readonly logo: LogoVersion | null
  /** Tokens of grants issued before this log position are invalid */
  readonly tokensVoidBefore: string | null
  readonly groupIds: readonly string[]
}

export interface OidcApplicationConfiguration extends AnyApplicationConfiguration {
  readonly protocol: 'oidc'
  readonly clientId: string
  readonly type: OidcApplicationType
  readonly settings: Omit<ApplicationFields, 'name'> & OidcSettings
  /** Scopes of API resources that it can request */
  readonly apiGrants: readonly { readonly apiResourceId: string; readonly scopes: readonly string[] }[]
  readonly secrets: readonly SecretRow[]
}

export interface SamlApplicationConfiguration extends AnyApplicationConfiguration {
  readonly protocol: 'saml'
  readonly settings: Omit<ApplicationFields, 'name'>
  readonly saml: SamlSettings
}

/** An application with everything that signing in to it requires. */
export type ApplicationConfiguration = OidcApplicationConfiguration | SamlApplicationConfiguration

/** Returns the application if it uses OpenID Connect. */
export const oidcOnly = (
  application: ApplicationConfiguration | null | undefined,
): OidcApplicationConfiguration | null => (application?.protocol === 'oidc' ? application : null)

/** An API that accepts access tokens, with everything that issuing them requires. */
export interface ApiResourceConfiguration {
  readonly id: string
  /** The audience of its tokens */
  readonly identifier: string
  readonly name: string
  /** Names of its scopes; no other API resource has them */
  readonly scopes: readonly string[]
  /** Null: the application's own lifetime applies */
  readonly accessTokenLifetimeSeconds: number | null
  /** Applications that implement this API */
  readonly ownerApplicationIds: readonly string[]
}

interface AnyProviderConfiguration extends IdentityProviderSettings {
  readonly id: string
  readonly issuer: string
  readonly sealedSecret: string | null
  /** Only those that are verified */
  readonly domains: readonly string[]
}

/** An identity provider, with everything that signing in with it requires. */
export type IdentityProviderConfiguration =
  | (AnyProviderConfiguration & OauthConnection & { readonly type: OauthProviderType })
  | (AnyProviderConfiguration & SamlConnection & { readonly type: 'saml' })

export interface SigningKeyRow {
  readonly id: string
  readonly kid: string
  readonly status: 'next' | 'active' | 'previous'
  readonly publicJwk: { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  readonly sealedPrivateKey: string
}

export interface SamlCertificateRow {
  readonly id: string
  readonly status: 'next' | 'active' | 'previous'
  readonly certificatePem: string
  /** SHA-256, hexadecimal */
  readonly fingerprint: string
  readonly sealedPrivateKey: string
}

export interface SshAuthorityKeyRow {
  /** Its fingerprint */
  readonly id: string
  readonly status: 'next' | 'active' | 'previous'
  /** A line for `TrustedUserCAKeys`, without a comment */
  readonly publicKey: string
  readonly sealedPrivateKey: string
}

/** The data that every instance keeps in memory, as of a log position. */
export interface ConfigurationRows {
  /** Log position of its last change; '' before the first */
  readonly position: string
  readonly applications: readonly ApplicationConfiguration[]
  readonly apiResources: readonly ApiResourceConfiguration[]
  readonly signingKeys: readonly SigningKeyRow[]
  readonly samlCertificates: readonly SamlCertificateRow[]
  readonly sshAuthorityKeys: readonly SshAuthorityKeyRow[]
  readonly settings: OrganizationSettings | null
  /** The methods whose settings an administrator has changed */
  readonly methods: readonly (MethodSetting & { readonly type: MethodType })[]
  readonly policies: readonly Policy[]
  readonly networkZones: readonly NetworkZone[]
  /** Enabled ones */
  readonly identityProviders: readonly IdentityProviderConfiguration[]
  readonly logo: LogoVersion | null
  readonly accentColor: string | null
}

/** Returns the log position of the last change of the configuration; '' before the first. */
export const configurationPosition = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query<{ position: string }>({
    name: 'configuration_position',
    text: 'select position from configuration_change',
  })
  return rows[0]?.position ?? ''
}

/** Reads the whole configuration with one statement, so from one snapshot. */
export const readConfiguration = async (pool: pg.Pool): Promise<ConfigurationRows> => {
  const { rows } = await pool.query<{ configuration: ConfigurationRows }>(`
    select json_build_object(
      'position', coalesce((select position from configuration_change), ''),
      'settings', (select settings from organization),
      'logo', (select json_build_object('mediaType', media_type, 'digest', digest) from branding where digest is not null),
      'accentColor', (select accent_color from branding),
      'methods', coalesce((
        select json_agg(json_build_object('type', type, 'enabled', enabled, 'allowedGroupIds', allowed_group_ids,
          'options', options))
        from method_settings), '[]'),
      'identityProviders', coalesce((
        select json_agg(i.fields || jsonb_build_object('id', i.id, 'type', i.type, 'issuer', i.issuer,
          'sealedSecret', i.sealed_secret, 'domains', (select coalesce(jsonb_agg(d.name order by d.name), '[]')
            from domains d where d.status = 'verified' and i.fields -> 'domains' ? d.name)) order by i.name_key)
        from identity_providers i where i.status = 'enabled'), '[]'),
      'networkZones', coalesce((
        select json_agg(json_build_object('id', z.id, 'name', z.name, 'type', z.type, 'cidrs', z.cidrs,
          'countries', z.countries, 'asns', z.asns, 'anonymizers', z.anonymizers, 'blocked', z.blocked,
          'trusted', z.trusted) order by z.id)
        from network_zones z where z.status = 'exists'), '[]'),
      'policies', coalesce((
        select json_agg(json_strip_nulls(json_build_object('id', p.id, 'version', p.version, 'status', p.status,
          'name', p.name, 'description', p.description, 'priority', p.priority, 'action', p.action,
          'sessionMaxAgeMinutes', p.session_max_age_minutes))::jsonb || jsonb_build_object('conditions', p.conditions)
          order by p.id)
        from policies p where p.to_position is null and p.status <> 'deleted'), '[]'),
      'signingKeys', coalesce((
        select json_agg(json_build_object('id', id, 'kid', kid, 'status', status, 'publicJwk', public_jwk,
          'sealedPrivateKey', sealed_private_key) order by created_at desc)
        from signing_keys where status <> 'retired'), '[]'),
      'samlCertificates', coalesce((
        select json_agg(json_build_object('id', id, 'status', status, 'certificatePem', certificate,
          'fingerprint', fingerprint, 'sealedPrivateKey', sealed_private_key) order by created_at desc, id desc)
        from saml_certificates), '[]'),
      'sshAuthorityKeys', coalesce((
        select json_agg(json_build_object('id', fingerprint, 'status', status, 'publicKey', public_key,
          'sealedPrivateKey', sealed_private_key) order by created_at desc, fingerprint)
        from ssh_authority_keys where status not in ('retired', 'revoked')), '[]'),
      'apiResources', coalesce((
        select json_agg(json_build_object('id', r.id, 'identifier', r.identifier, 'name', r.name,
          'scopes', (select coalesce(json_agg(s.scope ->> 'name' order by s.at), '[]')
            from jsonb_array_elements(r.scopes) with ordinality as s(scope, at)),
          'accessTokenLifetimeSeconds', r.access_token_lifetime_seconds,
          'ownerApplicationIds', r.owner_application_ids) order by r.id)
        from api_resources r where r.status = 'exists'), '[]'),
      'applications', coalesce((
        select json_agg(json_build_object(
          'id', a.id, 'protocol', a.protocol, 'saml', a.saml, 'clientId', a.client_id, 'type', a.type, 'status', a.status, 'builtIn', a.built_in,
          'name', a.name, 'logo', (select json_build_object('mediaType', l.media_type, 'digest', l.digest)
            from application_logos l where l.application_id = a.id), 'settings', a.settings, 'tokensVoidBefore', a.tokens_void_before,
          'groupIds', coalesce((select json_agg(g.group_id order by g.group_id) from application_groups g
            where g.application_id = a.id and g.to_position is null), '[]'),
          'apiGrants', coalesce((select json_agg(json_build_object('apiResourceId', n.api_resource_id,
              'scopes', n.scopes) order by n.api_resource_id)
            from api_grants n where n.application_id = a.id and n.to_position is null), '[]'),
          'secrets', coalesce((select json_agg(json_build_object('id', s.id, 'hash', s.hash,
              'expiresAt', to_char(s.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) order by s.created_at)
            from client_secrets s where s.application_id = a.id and s.revoked_at is null), '[]')))
        from applications a where a.status <> 'deleted'), '[]')
    ) as configuration`)
  const [row] = rows
  if (row === undefined) throw new Error('the configuration query must return one row')
  return row.configuration
}
