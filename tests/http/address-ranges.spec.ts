import { expect } from 'chai'
import { inRanges, readRange, writeRange } from '../../adapters/kernel/address-ranges.ts'

const written = (text: string): string | undefined => {
  const range = readRange(text)
  return range === undefined ? undefined : writeRange(range)
}

describe('ranges of addresses', () => {
  it('have one canonical form', () => {
    for (const [text, form] of [
      ['10.1.2.3/8', '10.0.0.0/8'],
      ['203.0.113.77', '203.0.113.77/32'],
      ['203.0.113.77/25', '203.0.113.0/25'],
      ['203.0.113.200/25', '203.0.113.128/25'],
      ['255.255.255.255/0', '0.0.0.0/0'],
      ['2001:DB8:0:0:1::5/32', '2001:db8::/32'],
      ['2001:db8:ffff::/35', '2001:db8:e000::/35'],
      ['::1', '::1/128'],
      ['::/0', '::/0'],
      ['::ffff:10.1.2.3/32', '10.1.2.3/32'],
    ] as const) {
      expect(written(text), text).to.equal(form)
      expect(written(form), form).to.equal(form)
    }
  })

  it('are rejected if they are malformed', () => {
    for (const text of [
      '',
      '/',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '10.0.0/8',
      '10.0.0.0/8.0',
      '2001:db8::/129',
      'example.com',
      '::ffff:10.0.0.0/104',
    ])
      expect(readRange(text), text).to.equal(undefined)
  })

  it('contain their own addresses and no others', () => {
    const within = inRanges(
      ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32'].map(readRange).filter((range) => range !== undefined),
    )
    for (const address of ['10.0.0.0', '10.255.255.255', '203.0.113.7', '2001:db8::1', '2001:db8:ffff::'])
      expect(within(address), address).to.equal(true)
    for (const address of ['9.255.255.255', '11.0.0.0', '203.0.113.8', '2001:db9::1', '::1', '0.0.0.0'])
      expect(within(address), address).to.equal(false)
  })
})
