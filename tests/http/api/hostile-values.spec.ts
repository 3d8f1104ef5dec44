/** Values that fit their format and are still invalid: what no schema rejects must not reach the database. */
import { expect } from 'chai'
import { refusal, startPlace, success, type Place } from './support.ts'

const cursorOf = (...keys: readonly (string | number | null)[]): string =>
  Buffer.from(JSON.stringify(keys)).toString('base64url')

describe('values that fit their format and are still invalid', function () {
  this.timeout(60_000)
  let place: Place
  let groupId: string
  before(async () => {
    place = await startPlace()
    groupId = success(await place.send('POST', '/groups', { name: 'Everybody' }), 201).id
  })
  after(() => place.service.stop())

  it('API-04 a forged cursor is rejected or answered, and never causes a server error', async () => {
    const times = [
      '2026-99-99T99:99:99Z',
      '2026-02-30T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '2026-01-01T00:00:00.1.2Z',
      '2026-01-01T24:00:61Z',
    ]
    const cases: readonly (readonly [string, string])[] = [
      ...['/users', '/groups', '/applications', '/api-keys', '/service-accounts', '/api-resources'].flatMap(
        (path) => [
          ...times.map(
            (time) => [path, `sort=createdAt&cursor=${cursorOf('createdAt', time, 'x')}`] as const,
          ),
          [path, `sort=name&cursor=${cursorOf('name', 'a\0b', 'x')}`] as const,
          [path, `sort=name&cursor=${cursorOf('name', 'a', '\0')}`] as const,
        ],
      ),
      ...['/sessions', '/sign-ins', '/devices', '/me/sign-ins'].flatMap((path) =>
        times.map((time) => [path, `cursor=${cursorOf('-createdAt', time, 'x')}`] as const),
      ),
      ['/audit', `cursor=${cursorOf('newest', '\0')}`],
      [`/groups/${groupId}/members`, `cursor=${cursorOf('a', '\0', 'x')}`],
      [`/groups/${groupId}/members`, `at=2026-11-01T00:00:00Z&cursor=${cursorOf('usr_', '\0')}`],
    ]
    for (const [path, query] of cases)
      refusal(await place.send('GET', `${path}?${query}`), 422, 'ERR_INVALID', '/cursor')
  })

  it('API-05 ID-03 accepts only existing dates and times with an offset, of the years 1 to 9999', async () => {
    const moments = [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      '2026-02-30T00:00:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T24:00:00Z',
      '1 Jan 2026 00:00:00Z',
      '2026-01-01T00:00:00',
    ]
    for (const moment of moments) {
      const written = encodeURIComponent(moment)
      for (const [path, field] of [
        [`/audit?from=${written}`, '/from'],
        [`/audit?to=${written}`, '/to'],
        [`/sign-ins?from=${written}`, '/from'],
        [`/sign-ins/statistics?to=${written}`, '/to'],
        [`/groups/${groupId}?at=${written}`, '/at'],
        [`/groups/${groupId}/members?at=${written}`, '/at'],
      ] as const)
        refusal(await place.send('GET', path), 422, 'ERR_INVALID', field)
    }
    for (const moment of [
      '0001-01-01T00:00:00Z',
      '2026-01-01t00:00:00.123456789z',
      '2024-02-29T01:00:00+02:30',
    ])
      expect(success(await place.send('GET', `/audit?to=${encodeURIComponent(moment)}`))).to.deep.equal([])
  })
})
