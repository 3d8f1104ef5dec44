/** A MaxMind DB file with one record for every address (MaxMind DB format 2.0), for tests. */
type Value = string | number | { readonly [key: string]: Value }

const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

const encode = (value: Value): Buffer => {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([(2 << 5) | bytes.length]), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
  }
  const entries = Object.entries(value)
  return Buffer.concat([
    Buffer.from([(7 << 5) | entries.length]),
    ...entries.flatMap(([key, each]) => [encode(key), encode(each)]),
  ])
}

/** @param record what every IPv4 address maps to */
export const mmdb = (record: Value): Buffer => {
  // One node of two 24-bit records, both of which point to the start of the data.
  const pointer = 1 + 16
  const node = Buffer.from([0, 0, pointer, 0, 0, pointer])
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-City',
    ip_version: 4,
    node_count: 1,
    record_size: 24,
  })
  return Buffer.concat([node, Buffer.alloc(16), encode(record), MARK, metadata])
}
