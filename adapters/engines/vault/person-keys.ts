/**
 * One key per user, which encrypts all personal data about them. Destroying it erases the data everywhere:
 * log, read models, replicas. Old backups and write-ahead logs of the database contain the encrypted key as
 * long as they are kept.
 */
import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { ClientBase, Pool } from 'pg'
import { coalesced } from '../../kernel/coalesce.ts'
import { boxKey, bytesOfText, newNonce, nonceSource, openBox, sealBox, SealBroken, SealLost } from './aead.ts'
import type { BoxKey, Random } from './aead.ts'
import type { Keyring } from './keyring.ts'
import { recentlySealed } from './recently-sealed.ts'
import { durably } from './schema.ts'

/** Maximum number of users in one call of `ensureLoaded`. */
export const largestLoad = 10_000

/** `unknown`: not in memory. Right after `ensureLoaded` this means that no key ever existed. */
export type PersonKeyState = 'present' | 'destroyed' | 'unknown'

export class PersonKeyDestroyed extends Error {
  readonly subject: string

  constructor(subject: string) {
    super(`the key of ${subject} was destroyed: no data of an erased user can be encrypted`)
    this.name = 'PersonKeyDestroyed'
    this.subject = subject
  }
}

/** No key in memory: it was not loaded, or it is missing in the vault (restored from an older backup than the log). */
export class PersonKeyMissing extends Error {
  readonly subject: string

  constructor(subject: string) {
    super(`no key for ${subject}: it was not loaded, or vault.person_key is incomplete`)
    this.name = 'PersonKeyMissing'
    this.subject = subject
  }
}

export interface PersonKeys {
  /**
   * Ensures that a user has a key, on disk and in memory. Concurrent instances use the same key; concurrent calls
   * share a transaction.
   * @throws PersonKeyDestroyed
   */
  createPersonKey(subject: string): Promise<void>
  /**
   * The same for many users, in one statement.
   * @throws PersonKeyDestroyed naming the first destroyed key
   */
  createPersonKeys(subjects: Iterable<string>): Promise<void>
  /**
   * Loads keys into memory, with one query for the missing ones.
   * @throws RangeError for more than `largestLoad`
   */
  ensureLoaded(subjects: Iterable<string>): Promise<void>
  personKeyState(subject: string): PersonKeyState
  /**
   * @throws PersonKeyMissing if the key is not loaded
   * @throws PersonKeyDestroyed
   */
  sealFor(subject: string, plaintext: Buffer | string, aad: string): string
  /**
   *
   * @returns null if the user's key was destroyed
   * @throws PersonKeyMissing if it is not loaded
   * @throws SealBroken
   * @throws SealLost, a SealBroken, for data under a lost key of the user
   */
  openFor(subject: string, sealed: string, aad: string): string | null
  /**
   * Permanently destroys the key. Without a key, prevents one from being created later. Durable when this resolves.
   * Other instances keep the key in memory until `forget`.
   */
  destroyPersonKey(subject: string): Promise<void>
  /** Another instance destroyed this user's key: this instance must not decrypt their data any more. */
  forget(subject: string): void
  /** How many users' keys this instance has forgotten: what it decrypted before may have to be decrypted again. */
  forgotten(): number
}

interface PersonKeyRow {
  readonly subject: string
  readonly keyring_id: string | null
  readonly wrapped: Buffer | null
}

/** `p`, the keyring generation of the user's key, and ciphertext */
const FORM = /^p([1-9]\d{0,8})\.([\w-]+)$/
export const personAad = (subject: string): string => `person|${subject}`

/** Decrypts person keys of rows. A destroyed one returns null. */
export const personKeyOpener = (keyring: Keyring): ((row: PersonKeyRow) => Buffer | null) => {
  const wrappers = new Map([...keyring.keys].map(([id, raw]) => [id, boxKey(raw)]))
  return ({ subject, keyring_id, wrapped }) => {
    if (wrapped === null || keyring_id === null) return null
    const wrapper = wrappers.get(keyring_id)
    if (!wrapper) throw new SealBroken(`the key of ${subject} is encrypted with an unknown key ${keyring_id}`)
    try {
      return openBox(wrapper, wrapped, personAad(subject))
    } catch (cause) {
      throw new SealBroken(`the key of ${subject} in vault.person_key is damaged`, { cause })
    }
  }
}

/** What a busy instance encrypts within about a second. */
const RECENTLY_SEALED = 4000

/** @param cacheSize number of keys kept in memory, at least `largestLoad` */
export const personKeys = (
  pool: Pool,
  keyring: Keyring,
  now: () => Date,
  random: Random,
  cacheSize: number,
): PersonKeys => {
  const unwrap = personKeyOpener(keyring)
  const wrapper = boxKey(keyring.keys.get(keyring.current.person)!)
  const prefix = `p${String(keyring.generation)}.`
  const cache = boundedCache<Buffer | 'destroyed'>(Math.max(cacheSize, largestLoad), {
    dispose: (key) => {
      if (key !== 'destroyed') key.fill(0)
    },
  })
  const nonce = nonceSource(random)
  const recent = recentlySealed(RECENTLY_SEALED)
  /** Initialized keys, as long as the key is in memory. */
  const ready = new WeakMap<Buffer, BoxKey>()
  const readyKey = (key: Buffer): BoxKey => {
    const known = ready.get(key)
    if (known !== undefined) return known
    const made = boxKey(key)
    ready.set(key, made)
    return made
  }
  // A load that started before a key was destroyed must not restore it in memory.
  let destructions = 0

  const forget = (subject: string): void => {
    destructions++
    recent.clear()
    cache.set(subject, 'destroyed')
  }

  const ensureLoaded = async (subjects: Iterable<string>): Promise<void> => {
    const wanted = [...new Set(subjects)]
    if (wanted.length > largestLoad) {
      throw new RangeError(`at most ${largestLoad} person keys per load, got ${wanted.length}`)
    }
    const absent = new Set<string>()
    for (;;) {
      // Checks again after each query, because other loads may have evicted earlier keys.
      const missing = wanted.filter((subject) => cache.get(subject) === undefined && !absent.has(subject))
      if (missing.length === 0) return
      const before = destructions
      const { rows } = await pool.query<PersonKeyRow>(
        'select subject, keyring_id, wrapped from vault.person_key where subject = any($1)',
        [missing],
      )
      if (destructions !== before) continue
      for (const row of rows) {
        if (cache.get(row.subject) === undefined) cache.set(row.subject, unwrap(row) ?? 'destroyed')
      }
      const existing = new Set(rows.map((row) => row.subject))
      for (const subject of missing) if (!existing.has(subject)) absent.add(subject)
    }
  }

  /** Creates keys for users without one in memory. Existing keys are loaded from disk. */
  const makeKeys = async (wanted: readonly string[]): Promise<void> => {
    // Sorted, so that two instances that create the same keys wait for each other instead of deadlocking.
    const missing = [...new Set(wanted)].filter((subject) => cache.get(subject) === undefined).sort()
    if (missing.length === 0) return
    const keys = new Map(missing.map((subject) => [subject, random(32)]))
    const wrapped = missing.map((subject) =>
      sealBox(wrapper, newNonce(random), keys.get(subject)!, personAad(subject)),
    )
    const before = destructions
    const { rows } = await durably(pool, (client) =>
      client.query<{ subject: string }>(
        `insert into vault.person_key (subject, keyring_id, wrapped, created_at)
         select subject, $3, wrapped, $4 from unnest($1::text[], $2::bytea[]) as new (subject, wrapped)
         on conflict (subject) do nothing
         returning subject`,
        [missing, wrapped, keyring.current.person, now()],
      ),
    )
    if (destructions === before)
      for (const { subject } of rows)
        if (cache.get(subject) === undefined) cache.set(subject, keys.get(subject))
    await ensureLoaded(missing)
  }

  const createPersonKeys = async (subjects: Iterable<string>): Promise<void> => {
    const wanted = [...new Set(subjects)]
    await makeKeys(wanted)
    const destroyed = wanted.find((subject) => cache.get(subject) === 'destroyed')
    if (destroyed !== undefined) throw new PersonKeyDestroyed(destroyed)
  }

  const makeKey = coalesced(async (subjects: readonly string[]) => {
    await makeKeys(subjects)
    return subjects.map((subject) => cache.get(subject) === 'destroyed')
  })

  const loaded = (subject: string): BoxKey | null => {
    const key = cache.get(subject)
    if (key === undefined) throw new PersonKeyMissing(subject)
    return key === 'destroyed' ? null : readyKey(key)
  }

  return {
    createPersonKey: async (subject) => {
      if (await makeKey(subject)) throw new PersonKeyDestroyed(subject)
    },
    createPersonKeys,
    ensureLoaded,
    personKeyState: (subject) => {
      const key = cache.get(subject)
      if (key === undefined) return 'unknown'
      return key === 'destroyed' ? 'destroyed' : 'present'
    },
    sealFor: (subject, plaintext, aad) => {
      const key = loaded(subject)
      if (key === null) throw new PersonKeyDestroyed(subject)
      const sealed = prefix + sealBox(key, nonce(), plaintext, aad).toString('base64url')
      recent.add(sealed, { key, aad, plaintext: plaintext.toString() })
      return sealed
    },
    openFor: (subject, sealed, aad) => {
      const key = loaded(subject)
      if (key === null) return null
      const known = recent.take(sealed, key, aad)
      if (known !== undefined) return known
      const [, generation, box] = FORM.exec(sealed) ?? []
      if (box === undefined || Number(generation) > keyring.generation) throw new SealBroken()
      if (Number(generation) < keyring.generation) throw new SealLost()
      return openBox(key, bytesOfText(box), aad).toString()
    },
    destroyPersonKey: async (subject) => {
      await durably(pool, async (client) => {
        await client.query(
          `insert into vault.person_key (subject, created_at, destroyed_at) values ($1, $2, $2)
           on conflict (subject) do update set wrapped = null,
             destroyed_at = coalesce(person_key.destroyed_at, excluded.destroyed_at)`,
          [subject, now()],
        )
        // The lost secret key may still be found.
        await client.query('delete from vault.lost_person_key where subject = $1', [subject])
      })
      forget(subject)
    },
    forget,
    forgotten: () => destructions,
  }
}

/** Pages through all person keys, for checks over the whole table. */
export const allPersonKeys = async function* (client: ClientBase, page = 5000): AsyncGenerator<PersonKeyRow> {
  let after = ''
  for (;;) {
    const { rows } = await client.query<PersonKeyRow>(
      `select subject, keyring_id, wrapped from vault.person_key
       where subject > $1 order by subject limit $2`,
      [after, page],
    )
    yield* rows
    if (rows.length < page) return
    after = rows.at(-1)!.subject
  }
}
