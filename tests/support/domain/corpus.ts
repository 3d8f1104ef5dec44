import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import type { EventMetadata, EventType } from '../../../domain/catalogue.ts'

/** An event as some release stored it, with its personal fields decrypted. */
export interface FrozenEvent {
  readonly id: string
  readonly stream: string
  readonly type: EventType
  readonly data: Readonly<Record<string, unknown>>
  readonly metadata: EventMetadata
}

const folder = new URL('../../domain/corpus/', import.meta.url)

const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8')

/** Every file of the corpus by its name, `<type>.v<schema>.json`. */
export const corpus: ReadonlyMap<string, FrozenEvent> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file, JSON.parse(read(file)) as FrozenEvent]),
)

export const digestOf = (file: string): string => createHash('sha256').update(read(file)).digest('hex')

/** SHA-256 by file name, as `sha256sum` writes it. */
export const frozen: ReadonlyMap<string, string> = new Map(
  read('frozen.txt')
    .trim()
    .split('\n')
    .map((line) => {
      const [digest = '', file = ''] = line.split(/\s+/)
      return [file, digest]
    }),
)
