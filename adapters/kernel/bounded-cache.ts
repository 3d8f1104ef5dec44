import { LRUCache } from 'lru-cache'

/**
 * Creates a cache of recently used entries that allocates memory as it fills. With a maximum number of entries, the
 * library would allocate all of it at the start.
 * @param size maximum number of entries
 */
export const boundedCache = <Value extends true | string | object>(
  size: number,
  more: {
    /** Milliseconds for which an entry is valid */
    readonly ttl?: number
    /** Called with evicted entries */
    readonly dispose?: (value: Value) => void
  } = {},
): LRUCache<string, Value> => new LRUCache({ maxSize: size, sizeCalculation: () => 1, ...more })
