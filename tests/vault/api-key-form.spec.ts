import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { isApiKey, writeApiKey } from '../../adapters/engines/vault/api-key-form.ts'

describe('the form of API keys', () => {
  it('ID-02 has 43 digits and 6 of checksum, for any bytes', () => {
    for (const bytes of [
      Buffer.alloc(32),
      Buffer.alloc(32, 255),
      ...Array.from({ length: 200 }, () => randomBytes(32)),
    ]) {
      const key = writeApiKey(bytes)
      expect(key).to.match(/^svk_[0-9A-Za-z]{49}$/)
      expect(isApiKey(key)).to.equal(true)
    }
    expect(writeApiKey(Buffer.alloc(32))).to.match(/^svk_0{43}/)
  })

  it('ID-02 loses no bits: different bytes give different keys', () => {
    const keys = Array.from({ length: 256 }, (_, n) => {
      const bytes = Buffer.alloc(32)
      bytes[n >> 3] = 1 << (n & 7)
      return writeApiKey(bytes)
    })
    expect(new Set(keys).size).to.equal(256)
  })

  it('notices any wrong, missing or additional digit', () => {
    const key = writeApiKey(randomBytes(32))
    for (let at = 4; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x'
      expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1)), String(at)).to.equal(false)
    }
    for (const wrong of ['', 'svk_', key.slice(4), key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`])
      expect(isApiKey(wrong), JSON.stringify(wrong)).to.equal(false)
  })
})
