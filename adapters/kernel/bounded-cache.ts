import { LRUCache } from 'lru-cache'

/**
 * A cache of recently used entries that grows as it fills: with a number of entries, the library would
 * allocate all of them at start.
 * @param size entries
 */
export const boundedCache = <Value extends true | string | object>(
  size: number,
  more: {
    /** Milliseconds for which an entry counts. */
    readonly ttl?: number
    /** Called with evicted entries. */
    readonly dispose?: (value: Value) => void
  } = {},
): LRUCache<string, Value> => new LRUCache({ maxSize: size, sizeCalculation: () => 1, ...more })
