import { LRUCache } from 'lru-cache'

/**
 * Keeps what was used last. Room is taken as it fills: told a number of entries, the library takes all of it at once,
 * which every start would wait for.
 * @param size entries
 */
export const boundedCache = <Value extends true | string | object>(
  size: number,
  more: {
    /** Milliseconds for which an entry counts. */
    readonly ttl?: number
    /** Told of what goes. */
    readonly dispose?: (value: Value) => void
  } = {},
): LRUCache<string, Value> => new LRUCache({ maxSize: size, sizeCalculation: () => 1, ...more })
