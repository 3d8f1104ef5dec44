/** What the stand-in stores: one log in memory, with the server's rules for expected revisions and repeated ids. */

export interface Proposed {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface Stored extends Proposed {
  readonly stream: string
  readonly revision: number
  readonly position: bigint
  /** Milliseconds since 1970. */
  readonly created: number
}

export type Expected = number | 'any' | 'no_stream' | 'stream_exists'

export type Outcome = { revision: number; position: bigint } | { wrong: true; current: number | undefined }

export interface Store {
  readonly all: readonly Stored[]
  readonly append: (stream: string, expected: Expected, events: readonly Proposed[]) => Outcome
  /** Events of a stream that its `$maxAge` does not hide; undefined if the stream never existed. */
  readonly stream: (name: string) => readonly Stored[] | undefined
  /** Index in `all` of the first event at or after a position. */
  readonly indexOf: (position: bigint) => number
  /** Forgets the ids that make `any` and `stream_exists` idempotent, as the server does when it restarts. */
  readonly forgetIds: () => void
  /** Removes what `$maxAge` hides, except the last event of each stream. */
  readonly scavenge: () => void
  readonly onAppended: (listener: () => void) => () => void
}

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** How often the server writes an event of its own: after this many events. */
const OWN_EVENT_EVERY = 7

export const createStore = (): Store => {
  const all: Stored[] = []
  const streams = new Map<string, Stored[]>()
  const listeners = new Set<() => void>()
  let remembered = new Set<string>()
  let end = 0n

  const write = (stream: string, events: readonly Proposed[]): Stored[] => {
    const into = streams.get(stream) ?? []
    streams.set(stream, into)
    return events.map((event) => {
      const stored = { ...event, stream, revision: into.length, position: end, created: Date.now() }
      end += BigInt(120 + event.data.length + event.metadata.length)
      into.push(stored)
      remembered.add(event.id)
      all.push(stored)
      return stored
    })
  }
  const writeOwn = (): void => {
    const id = `00000000-0000-4000-8000-${String(all.length).padStart(12, '0')}`
    const event = { id, type: '$statsCollected', contentType: 'application/json', data: encode({}) }
    write('$stats-127.0.0.1:2113', [{ ...event, metadata: new Uint8Array() }])
  }

  const repeated = (
    stream: readonly Stored[],
    expected: Expected,
    events: readonly Proposed[],
  ): Stored | 'part' | undefined => {
    if (typeof expected === 'number' || expected === 'no_stream') {
      const first = expected === 'no_stream' ? 0 : expected + 1
      const same = events.every((event, at) => stream[first + at]?.id === event.id)
      return same ? stream[first + events.length - 1] : undefined
    }
    const recorded = events.map((event) => stream.find(({ id }) => id === event.id && remembered.has(id)))
    if (recorded.every((event) => event === undefined)) return undefined
    const first = recorded[0]
    const whole =
      first !== undefined && recorded.every((event, at) => event?.revision === first.revision + at)
    return whole ? recorded.at(-1) : 'part'
  }

  const isOld = ({ created }: Stored, maxAge: number): boolean => created <= Date.now() - maxAge * 1000

  const maxAgeOf = (name: string): number | undefined => {
    const last = streams.get(`$$${name}`)?.at(-1)
    if (last === undefined) return undefined
    return (JSON.parse(Buffer.from(last.data).toString('utf8')) as { $maxAge?: number }).$maxAge
  }

  writeOwn()
  return {
    all,
    append: (name, expected, events) => {
      const stream = streams.get(name) ?? []
      const current = stream.length - 1
      const wrong = { wrong: true, current: current < 0 ? undefined : current } as const
      const matches =
        expected === 'any' ||
        (expected === 'stream_exists' ? current >= 0 : current === (expected === 'no_stream' ? -1 : expected))
      const looksForIds = typeof expected === 'string' && expected !== 'no_stream'
      if (!matches || looksForIds) {
        const before = repeated(stream, expected, events)
        if (before === 'part') return wrong
        if (before !== undefined) return { revision: before.revision, position: before.position }
      }
      if (!matches) return wrong
      const last = write(name, events).at(-1)
      if (last === undefined) throw new Error('an append without events')
      if (all.length % OWN_EVENT_EVERY === 0) writeOwn()
      for (const listener of [...listeners]) listener()
      return { revision: last.revision, position: last.position }
    },
    stream: (name) => {
      const maxAge = maxAgeOf(name)
      const events = streams.get(name)
      if (maxAge === undefined) return events
      return events?.filter((event) => !isOld(event, maxAge))
    },
    indexOf: (position) => {
      let low = 0
      for (let high = all.length; low < high;) {
        const middle = (low + high) >> 1
        if ((all[middle]?.position ?? 0n) < position) low = middle + 1
        else high = middle
      }
      return low
    },
    forgetIds: () => {
      remembered = new Set()
    },
    scavenge: () => {
      const kept = all.filter((event) => {
        const maxAge = maxAgeOf(event.stream)
        return maxAge === undefined || !isOld(event, maxAge) || event === streams.get(event.stream)?.at(-1)
      })
      all.splice(0, all.length, ...kept)
    },
    onAppended: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
