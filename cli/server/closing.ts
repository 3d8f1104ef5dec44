/** Open resources, closed in reverse order: each depends on those opened before it. */
export interface Closing {
  /** Registers how to close a resource, and returns the resource. */
  readonly keep: <T>(opened: T, close: (opened: T) => Promise<unknown>) => T
  /** Closes everything, in reverse order. A second call waits for the first. */
  readonly close: () => Promise<void>
}

export const newClosing = (): Closing => {
  const closers: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  return {
    keep: (opened, close) => {
      closers.push(() => close(opened))
      return opened
    },
    close: () => (closing ??= closeAll()),
  }
}
