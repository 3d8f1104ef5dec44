import { expect } from 'chai'
import fc from 'fast-check'
import { countryOf, leastDistanceKm } from '../../domain/risk/countries.ts'
import { detectRisks, highestLevel, type HistoryFacts } from '../../domain/risk/detect.ts'

const NINE = Date.parse('2026-03-02T09:00:00Z')
const minutes = (count: number): number => NINE + count * 60_000
const at = (location: string | null, time = NINE) => ({ at: time, location })
const noFailures = { failures: 0 }

const risksOf = (location: string | null, time: number, history: HistoryFacts, deviceIsNew = false) =>
  detectRisks({ location, at: time, deviceIsNew, isAnonymized: false }, history)

const typesOf = (...facts: Parameters<typeof risksOf>): readonly string[] =>
  risksOf(...facts).map(({ riskType }) => riskType)

describe('The risk of a sign-in', () => {
  it('finds no risk in the first sign-in of a user, whatever device and country', () => {
    expect(typesOf('Japan', NINE, { successes: [], ...noFailures }, true)).to.deep.equal([])
  })

  const journeys: readonly (readonly [string, string, number, readonly string[]])[] = [
    ['Germany', 'Japan', 30, ['impossible_travel', 'new_country']],
    ['Berlin, DE', 'Tokyo, JP', 30, ['impossible_travel', 'new_country']],
    ['Germany', 'Japan', 14 * 60, ['new_country']],
    ['Germany', 'Austria', 5, ['new_country']],
    ['Finland', 'Russia', 5, ['new_country']],
    ['Germany', 'Munich, DE', 5, []],
    ['Germany', 'Tuvalu', 5, ['new_country']],
  ]
  for (const [from, to, later, expected] of journeys)
    it(`finds ${expected.join(' and ') || 'nothing'} from ${from} to ${to} within ${String(later)} minutes`, () => {
      const history = { successes: [at(from)], ...noFailures }
      expect(typesOf(to, minutes(later), history)).to.deep.equal(expected)
    })

  it('measures travel from the latest sign-in, and knows the countries of all', () => {
    const successes = [at('Japan', minutes(-60)), at('Germany')]
    expect(typesOf('Japan', minutes(30), { successes, ...noFailures })).to.deep.equal(['impossible_travel'])
  })

  it('states the facts', () => {
    const [travel] = risksOf('Japan', minutes(30), { successes: [at('Germany')], ...noFailures })
    expect(travel).to.deep.include({ riskType: 'impossible_travel', level: 'high' })
    expect(travel?.detail).to.include({ from: 'Germany', to: 'Japan', minutes: 30 })
    expect(travel?.detail).to.have.property('leastKm').that.is.within(5000, 9000)
  })

  it('finds ten failures before a success, not nine', () => {
    const after = (failures: number) => typesOf(null, NINE, { successes: [at(null)], failures })
    expect([after(9), after(10)]).to.deep.equal([[], ['repeated_failures']])
  })

  it('finds a new device of a user who signed in before, and has the level of the highest risk', () => {
    const history = { successes: [at('Germany')], ...noFailures }
    expect(risksOf('Germany', NINE, history, true)).to.deep.equal([
      { riskType: 'new_device', level: 'low', detail: {} },
    ])
    const level = (country: string) =>
      highestLevel(risksOf(country, NINE, history, true).map((risk) => risk.level))
    expect(level('Japan')).to.equal('high')
    expect([level('Austria'), highestLevel([])]).to.deep.equal(['medium', 'none'])
  })

  it('knows the remote places of countries: no distance to where a territory ends', () => {
    const neighbours = [
      'RU,NO',
      'RU,US',
      'ES,MA',
      'PT,ES',
      'CL,AR',
      'US,CA',
      'US,MX',
      'IN,ID',
      'FR,BR',
      'JP,TW',
    ]
    const apart = neighbours.filter((pair) => {
      const [one = '', other = ''] = pair.split(',')
      return leastDistanceKm(one, other) > 500
    })
    // French territory in South America has a code of its own.
    expect(apart).to.deep.equal(['FR,BR'])
  })

  const location = fc.constantFrom(null, 'Germany', 'Tokyo, JP', 'United States', 'New Zealand', 'Atlantis')
  const signIn = fc.record({ at: fc.integer({ min: 0, max: 4e12 }), location })

  it('never measures nonsense, and measures the same in both directions', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('DE', 'NZ', 'ES', 'US', '??'),
        fc.constantFrom('JP', 'CL', 'DE', ''),
        (a, b) => {
          expect(leastDistanceKm(a, b)).to.be.within(0, 20_016)
          expect(leastDistanceKm(a, b)).to.be.closeTo(leastDistanceKm(b, a), 1e-6)
        },
      ),
    )
    expect(countryOf('Tokyo, JP')).to.equal(countryOf('Japan'))
  })

  it('finds the same risks whatever the order of the history', () => {
    const history = fc.uniqueArray(signIn, { selector: ({ at: time }) => time, maxLength: 8 })
    fc.assert(
      fc.property(history, signIn, fc.boolean(), fc.nat(20), (successes, attempt, deviceIsNew, failures) => {
        const find = (ordered: typeof successes) =>
          detectRisks({ ...attempt, deviceIsNew, isAnonymized: false }, { successes: ordered, failures })
        const found = find(successes)
        expect(find(successes.toReversed())).to.deep.equal(found)
        expect(JSON.stringify(found)).not.to.include('null')
      }),
    )
  })
})
