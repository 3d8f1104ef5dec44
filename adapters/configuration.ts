import { createPrivateKey, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import { defaultMethodSettings } from '../domain/method-settings/decider.ts'
import type { MethodSettings } from '../domain/method-settings/events.ts'
import { defaultSettings } from '../domain/organization/decider.ts'
import type { OrganizationSettings } from '../domain/organization/events.ts'
import {
  configurationPosition,
  readConfiguration,
  type ApiResourceConfiguration,
  type ApplicationConfiguration,
  type SigningKeyRow,
} from '../read-models/queries/configuration.ts'
import { coalesced } from './coalesce.ts'
import type { Vault } from './vault/vault.ts'

/** Purpose under which private signing keys are sealed; the key's id is the associated data. */
export const SIGNING_KEY_PURPOSE = 'signing-key'

/** The key that signs. The private halves of the others stay sealed. */
export interface SigningKey extends SigningKeyRow {
  readonly privateKey: KeyObject
}

/** Applications, assignments of groups to them, API resources, keys, settings and sign-in methods: small, asked at every request, kept in memory. */
export interface Configuration {
  readonly position: string
  readonly settings: OrganizationSettings
  readonly methods: MethodSettings
  readonly applicationById: ReadonlyMap<string, ApplicationConfiguration>
  readonly applicationByClientId: ReadonlyMap<string, ApplicationConfiguration>
  readonly apiResources: readonly ApiResourceConfiguration[]
  readonly apiResourceById: ReadonlyMap<string, ApiResourceConfiguration>
  /** Published keys, newest first. */
  readonly signingKeys: readonly SigningKeyRow[]
  /** Null before the first key exists. */
  readonly activeKey: SigningKey | null
}

export interface ConfigurationCache {
  /** What is in memory now. Check `position` against what the database says in the query that uses it. */
  readonly now: () => Configuration
  /** Not older than a change at this place in the log. */
  readonly atLeast: (position: string) => Promise<Configuration>
  /** Not older than the read models are at this moment; one small query when nothing has changed. */
  readonly fresh: () => Promise<Configuration>
}

export const openConfiguration = async (pool: pg.Pool, vault: Vault): Promise<ConfigurationCache> => {
  let signing: SigningKey | null = null
  const withPrivateKey = (row: SigningKeyRow): SigningKey => {
    // Parsing a key costs more than a signature: once for as long as it signs.
    const privateKey =
      signing?.id === row.id
        ? signing.privateKey
        : createPrivateKey(vault.open(SIGNING_KEY_PURPOSE, row.sealedPrivateKey, row.id).toString())
    signing = { ...row, privateKey }
    return signing
  }

  const load = async (): Promise<Configuration> => {
    const { position, applications, apiResources, signingKeys, settings, methods } =
      await readConfiguration(pool)
    const active = signingKeys.find(({ status }) => status === 'active')
    return {
      position,
      settings: { ...defaultSettings, ...settings },
      methods: {
        ...defaultMethodSettings,
        ...Object.fromEntries(methods.map(({ type, ...setting }) => [type, setting])),
      },
      applicationById: new Map(applications.map((application) => [application.id, application])),
      applicationByClientId: new Map(applications.map((application) => [application.clientId, application])),
      apiResources,
      apiResourceById: new Map(apiResources.map((resource) => [resource.id, resource])),
      signingKeys,
      activeKey: active === undefined ? null : withPrivateKey(active),
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
    // A load under way may have read before the change; the one after it cannot have.
    for (let attempt = 0; current.position < position && attempt < 2; attempt++) await reload()
    return current
  }

  const position = coalesced(async (questions: readonly undefined[]) => {
    const found = await configurationPosition(pool)
    return questions.map(() => found)
  })
  return { now: () => current, atLeast, fresh: async () => atLeast(await position(undefined)) }
}
