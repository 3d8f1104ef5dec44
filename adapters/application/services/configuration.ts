import { createPrivateKey, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import type { LogoVersion } from '../../../domain/logo.ts'
import { defaultMethodSettings } from '../../../domain/method-settings/decider.ts'
import type { MethodSettings } from '../../../domain/method-settings/events.ts'
import { defaultSettings } from '../../../domain/organization/decider.ts'
import { zoneMatcher, type NetworkZone } from '../../../domain/network-zone/matcher.ts'
import type { OrganizationSettings } from '../../../domain/organization/events.ts'
import { compilePolicy, groupsNamedBy, type CompiledPolicy } from '../../../domain/policy/evaluate.ts'
import {
  configurationPosition,
  readConfiguration,
  type ApiResourceConfiguration,
  type ApplicationConfiguration,
  type IdentityProviderConfiguration,
  type OidcApplicationConfiguration,
  type SamlApplicationConfiguration,
  type SamlCertificateRow,
  type SigningKeyRow,
  type SshAuthorityKeyRow,
} from '../../../read-models/queries/configuration.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import { SealLost } from '../../engines/vault/aead.ts'
import type { Whereabouts } from '../../engines/geoip/locate.ts'
import type { Vault } from '../../engines/vault/vault.ts'

/** Purpose of the encryption of private signing keys; the key's id is the associated data. */
export const SIGNING_KEY_PURPOSE = 'signing-key'

/** Purpose of the encryption of the private keys of SAML certificates; the certificate's id is the associated data. */
export const SAML_KEY_PURPOSE = 'saml-key'

/** Purpose of the encryption of the private keys of the SSH authority; the fingerprint is the associated data. */
export const SSH_AUTHORITY_PURPOSE = 'ssh-authority'

/** The active key. The private halves of the others stay encrypted. */
export interface SigningKey extends SigningKeyRow {
  readonly privateKey: KeyObject
}

export type SamlCertificate = Omit<SamlCertificateRow, 'sealedPrivateKey'>

/** The certificate whose key signs SAML responses. */
export interface SamlSigningCertificate extends SamlCertificate {
  readonly privateKey: KeyObject
}

export type SshAuthorityKey = Omit<SshAuthorityKeyRow, 'sealedPrivateKey'>

/** The key that signs SSH certificates. */
export interface SshSigningKey extends SshAuthorityKey {
  readonly privateKey: KeyObject
}

/**
 * Applications, group assignments, API resources, keys, settings, sign-in methods and policies: small, needed by
 * every request, cached in memory.
 */
export interface Configuration {
  readonly position: string
  readonly settings: OrganizationSettings
  /** Null for none */
  readonly logo: LogoVersion | null
  /** As `isColor` accepts it; null for the colour of the service */
  readonly accentColor: string | null
  readonly methods: MethodSettings
  /** All policies, also disabled ones */
  readonly policies: readonly CompiledPolicy[]
  readonly networkZones: readonly NetworkZone[]
  readonly hasBlockedZones: boolean
  /** Enabled ones, by name */
  readonly identityProviders: readonly IdentityProviderConfiguration[]
  /** By the names of their verified domains */
  readonly identityProviderByDomain: ReadonlyMap<string, IdentityProviderConfiguration>
  /** Returns the network zones that contain an address; none for null. */
  readonly zonesAt: (ip: string | null) => readonly NetworkZone[]
  /** The groups that policies name */
  readonly policyGroups: ReadonlySet<string>
  /** The same for queries; null if there are so many that reading all groups of a user is faster */
  readonly policyGroupIds: readonly string[] | null
  readonly applicationById: ReadonlyMap<string, ApplicationConfiguration>
  readonly applicationByClientId: ReadonlyMap<string, OidcApplicationConfiguration>
  readonly samlByEntityId: ReadonlyMap<string, SamlApplicationConfiguration>
  readonly apiResources: readonly ApiResourceConfiguration[]
  readonly apiResourceById: ReadonlyMap<string, ApiResourceConfiguration>
  /** Published keys, newest first. */
  readonly signingKeys: readonly SigningKeyRow[]
  /** Null before the first key exists, and after the private half was lost with the secret key. */
  readonly activeKey: SigningKey | null
  /** All certificates in the metadata, newest first. */
  readonly samlCertificates: readonly SamlCertificate[]
  /** Null before the first certificate exists, and after its private key was lost with the secret key. */
  readonly samlCertificate: SamlSigningCertificate | null
  /** All published keys of the SSH authority, newest first. */
  readonly sshAuthorityKeys: readonly SshAuthorityKey[]
  /** Null before the first key exists, and after its private half was lost with the secret key. */
  readonly sshAuthority: SshSigningKey | null
}

export interface ConfigurationCache {
  /** The cached configuration. The query that uses it must check `position` against the database. */
  readonly now: () => Configuration
  /** A configuration at least as recent as this log position. */
  readonly atLeast: (position: string) => Promise<Configuration>
  /** A configuration at least as recent as the read models; costs one small query if nothing has changed. */
  readonly fresh: () => Promise<Configuration>
}

/** Groups that a query looks for by id: each is sent with every question. */
const MAX_ASKED_GROUPS = 64

const withoutKey = <Row extends { readonly sealedPrivateKey: string }>({
  sealedPrivateKey: _,
  ...shown
}: Row): Omit<Row, 'sealedPrivateKey'> => shown

/** Decrypts private keys. Parsing a key costs more than a signature, so it happens once per active key. */
const openedKeys = (vault: Vault, purpose: string) => {
  let last: { readonly id: string; readonly privateKey: KeyObject } | null = null
  return ({ id, sealedPrivateKey }: Pick<SigningKeyRow, 'id' | 'sealedPrivateKey'>): KeyObject | null => {
    if (last?.id === id) return last.privateKey
    try {
      last = { id, privateKey: createPrivateKey(vault.open(purpose, sealedPrivateKey, id).toString()) }
      return last.privateKey
    } catch (error) {
      // Only the command that accepts the loss of keys gets here: the service starts only once another key signs.
      if (error instanceof SealLost) return null
      throw error
    }
  }
}

export const openConfiguration = async (
  pool: pg.Pool,
  vault: Vault,
  whereabouts: (ip: string) => Whereabouts,
): Promise<ConfigurationCache> => {
  const signing = openedKeys(vault, SIGNING_KEY_PURPOSE)
  const signingSaml = openedKeys(vault, SAML_KEY_PURPOSE)
  const signingSsh = openedKeys(vault, SSH_AUTHORITY_PURPOSE)

  const load = async (): Promise<Configuration> => {
    const {
      position,
      applications,
      apiResources,
      signingKeys,
      samlCertificates,
      sshAuthorityKeys,
      settings,
      logo,
      accentColor,
      methods,
      policies,
      networkZones,
      identityProviders,
    } = await readConfiguration(pool)
    const policyGroups = groupsNamedBy(policies)
    const zonesOf = zoneMatcher(networkZones)
    const active = signingKeys.find(({ status }) => status === 'active')
    const activeSaml = samlCertificates.find(({ status }) => status === 'active')
    const privateKey = active === undefined ? null : signing(active)
    const samlPrivateKey = activeSaml === undefined ? null : signingSaml(activeSaml)
    const activeSsh = sshAuthorityKeys.find(({ status }) => status === 'active')
    const sshPrivateKey = activeSsh === undefined ? null : signingSsh(activeSsh)
    const oidc = applications.filter((application) => application.protocol === 'oidc')
    const saml = applications.filter((application) => application.protocol === 'saml')
    return {
      position,
      settings: { ...defaultSettings, ...settings },
      logo,
      accentColor,
      methods: {
        ...defaultMethodSettings,
        ...Object.fromEntries(methods.map(({ type, ...setting }) => [type, setting])),
      },
      policies: policies.map(compilePolicy),
      networkZones,
      identityProviders,
      identityProviderByDomain: new Map(
        identityProviders.flatMap((provider) => provider.domains.map((domain) => [domain, provider])),
      ),
      hasBlockedZones: networkZones.some(({ blocked }) => blocked),
      zonesAt: (ip) => (ip === null || networkZones.length === 0 ? [] : zonesOf({ ip, ...whereabouts(ip) })),
      policyGroups: new Set(policyGroups),
      policyGroupIds: policyGroups.length > MAX_ASKED_GROUPS ? null : policyGroups,
      applicationById: new Map(applications.map((application) => [application.id, application])),
      applicationByClientId: new Map(oidc.map((application) => [application.clientId, application])),
      samlByEntityId: new Map(saml.map((application) => [application.saml.entityId, application])),
      apiResources,
      apiResourceById: new Map(apiResources.map((resource) => [resource.id, resource])),
      signingKeys,
      activeKey: active === undefined || privateKey === null ? null : { ...active, privateKey },
      samlCertificates: samlCertificates.map(withoutKey),
      samlCertificate:
        activeSaml === undefined || samlPrivateKey === null
          ? null
          : { ...withoutKey(activeSaml), privateKey: samlPrivateKey },
      sshAuthorityKeys: sshAuthorityKeys.map(withoutKey),
      sshAuthority:
        activeSsh === undefined || sshPrivateKey === null
          ? null
          : { ...withoutKey(activeSsh), privateKey: sshPrivateKey },
    }
  }

  let current = await load()
  let loading: Promise<Configuration> | null = null
  const reload = (): Promise<Configuration> => {
    loading ??= load()
      .then((loaded) => (current = loaded))
      .finally(() => {
        loading = null
      })
    return loading
  }

  const atLeast = async (position: string): Promise<Configuration> => {
    // A load in progress may have read before the change; the next one reads after it.
    for (let attempt = 0; current.position < position && attempt < 2; attempt++) await reload()
    return current
  }

  const position = coalesced(async (questions: readonly undefined[]) => {
    const currentPosition = await configurationPosition(pool)
    return questions.map(() => currentPosition)
  })
  return { now: () => current, atLeast, fresh: async () => atLeast(await position(undefined)) }
}
