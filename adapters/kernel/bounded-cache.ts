import { LRUCache } from 'lru-cache'

/**
 * Creates a cache of recently used entries that allocates memory as it fills. With a maximum number of entries, the
 * library would allocate all of it at the start.
 * @param size maximum number of entries, or of the sum of their sizes
 */
export const boundedCache = <Value extends true | string | object>(
  size: number,
  {
    sizeOf = () => 1,
    ...more
  }: {
    /** Default: each counts as one */
    readonly sizeOf?: (value: Value) => number
    /** Milliseconds for which an entry is valid */
    readonly ttl?: number
    /** Called with evicted entries */
    readonly dispose?: (value: Value) => void
  } = {},
): LRUCache<string, Value> => new LRUCache({ maxSize: size, sizeCalculation: sizeOf, ...more })
