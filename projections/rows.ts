/**
 * The rows of one table that a batch of events affects: read once, changed in memory by any number of events,
 * written once.
 */
export type Row = Readonly<Record<string, unknown>>

/** Columns and their required values. All these columns have type text. */
export type Selector = Readonly<Record<string, string>>

const keyOf = (columns: readonly string[], row: Row): string =>
  columns.map((column) => String(row[column])).join('\0')

const shapeOf = (selector: Selector): string => Object.keys(selector).sort().join(',')

export class Rows {
  readonly #key: readonly string[]
  readonly #rows = new Map<string, Row>()
  readonly #stored = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #deleted = new Set<string>()
  /** Selector shape → selector values → keys of rows. Selector columns never change within a row. */
  readonly #indexes = new Map<string, Map<string, Set<string>>>()

  constructor(key: readonly string[]) {
    this.#key = key
  }

  /** Adds stored rows. A row that the batch already changed is not overwritten. */
  load(rows: readonly Row[]): void {
    for (const row of rows) {
      const key = keyOf(this.#key, row)
      if (this.#rows.has(key) || this.#deleted.has(key)) continue
      this.#stored.add(key)
      this.#hold(key, row)
    }
  }

  /** Indexes rows by this selector's shape. Call it before `load`. */
  index(selector: Selector): void {
    const shape = shapeOf(selector)
    if (this.#indexes.has(shape)) return
    const index = new Map<string, Set<string>>()
    this.#indexes.set(shape, index)
    const columns = shape.split(',')
    for (const [key, row] of this.#rows) add(index, keyOf(columns, row), key)
  }

  get(selector: Selector): Row | undefined {
    return this.find(selector)[0]
  }

  /** Returns rows with these values that the batch has loaded or created, ordered by key. */
  find(selector: Selector): readonly Row[] {
    const shape = shapeOf(selector)
    const index = this.#indexes.get(shape)
    if (index === undefined) throw new Error(`rows were not read by ${shape}`)
    const keys = index.get(keyOf(shape.split(','), selector)) ?? []
    return this.#known([...keys].sort())
  }

  put(row: Row): void {
    const key = keyOf(this.#key, row)
    this.#deleted.delete(key)
    this.#changed.add(key)
    this.#hold(key, row)
  }

  patch(selector: Selector, change: Row): void {
    for (const row of this.find(selector)) this.put({ ...row, ...change })
  }

  delete(row: Row): void {
    const key = keyOf(this.#key, row)
    for (const [shape, index] of this.#indexes) index.get(keyOf(shape.split(','), row))?.delete(key)
    this.#rows.delete(key)
    this.#changed.delete(key)
    if (this.#stored.has(key)) this.#deleted.add(key)
  }

  /** Returns the changed rows to write. */
  changes(): { readonly upserts: readonly Row[]; readonly deletes: readonly Row[] } {
    return {
      upserts: this.#known([...this.#changed]),
      deletes: [...this.#deleted].map((key) =>
        Object.fromEntries(key.split('\0').map((value, i) => [this.#key[i] ?? '', value])),
      ),
    }
  }

  #known(keys: readonly string[]): readonly Row[] {
    return keys.map((key) => this.#rows.get(key)).filter((row) => row !== undefined)
  }

  #hold(key: string, row: Row): void {
    this.#rows.set(key, row)
    for (const [shape, index] of this.#indexes) add(index, keyOf(shape.split(','), row), key)
  }
}

const add = (index: Map<string, Set<string>>, value: string, key: string): void => {
  const keys = index.get(value)
  if (keys === undefined) index.set(value, new Set([key]))
  else keys.add(key)
}
