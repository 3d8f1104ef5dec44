/**
 * The service is killed repeatedly, at any moment: what it acknowledged is stored completely. `SVC_TEST_KILLS` sets how
 * often; `npm run campaign -- kill` does so.
 */
import { expect } from 'chai'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { expectNothingLost, startLoad } from '../support/service/load.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { recordingLog } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { random } from '../support/random.ts'

const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? '4')

describe('svc serve, killed', function () {
  this.timeout(120_000 + KILLS * 20_000)
  let place: SeededPlace
  before(async () => {
    place = await seededPlace()
  })
  after(() => place.drop())

  it(`EVT-01 EVT-03 loses no acknowledged command, and records each entirely or not at all, over ${String(KILLS)} kills under load`, async () => {
    let current: ServeProcess | null = null
    const load = startLoad({ urls: () => (current === null ? [] : [current.url]), cookie: place.cookie })
    const starts: number[] = []
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        current = await serve(place.setting)
        starts.push(current.readyAfter)
        // During one of the next requests, not at a fixed time.
        const goal = load.counts.acknowledged + 1 + Math.floor(random() * 60)
        await until(() => load.counts.acknowledged >= goal, 20_000, 'acknowledged requests')
        await current.kill('SIGKILL')
        current = null
      }
      current = await serve(place.setting)
    } finally {
      await load.stop()
    }
    expect(load.counts.unexpected).to.deep.equal([])
    const ready = `${current.url}/readyz`
    await until(async () => (await fetch(ready)).ok)
    await expectNothingLost(place.setting.databaseUrl, load)
    await current.kill('SIGTERM')
    const report = await rebuildReadModels(place.config, recordingLog(), true)
    expect(report.differences).to.deep.equal([])
    starts.sort((a, b) => a - b)
    const median = String(starts[starts.length >> 1])
    console.log(
      `      ${String(load.counts.acknowledged)} acknowledged, ${String(load.counts.failed)} not; ready after ${median} ms (median)`,
    )
  })
})
