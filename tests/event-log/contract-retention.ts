/** What every engine does with events whose retention has ended. Part of the contract. */
import { expect } from 'chai'
import { WrongExpectedRevision, type EventLog } from '../../adapters/engines/event-log/event-log.ts'
import type { Engine } from './engine.ts'
import { newEvent, newStream, rejection } from './helpers.ts'

/** @param opened the engine, with a log that keeps events of the category `shortlived` for a second */
export const retentionContract = (
  opened: () => { readonly engine: Engine; readonly log: EventLog },
): void => {
  it('EVT-02 keeps events as long as their category requires, and revisions permanently', async function () {
    this.timeout(30_000)
    const { engine, log } = opened()
    const [shortLived, kept] = [newStream('shortlived'), newStream('kept')]
    await log.append(shortLived, 'no_stream', [newEvent(), newEvent()])
    await log.append(kept, 'no_stream', [newEvent()])
    await engine.expire(log, 1)
    expect(await log.readStream(shortLived)).to.deep.equal([])
    expect(await log.readStream(kept)).to.have.length(1)
    const error = await rejection(log.append(shortLived, 'no_stream', [newEvent()]))
    expect(error).to.be.instanceOf(WrongExpectedRevision)
    expect(await log.append(shortLived, 1, [newEvent()])).to.include({ revision: 2 })
  })

  it('EVT-02 API-12 applies a changed retention to streams that exist', async function () {
    this.timeout(30_000)
    const { engine } = opened()
    let seconds = 86_400
    const changing = await engine.open((category) => (category === 'changing' ? seconds : null))
    const [shortened, lengthened] = [newStream('changing'), newStream('changing')]
    await changing.append(shortened, 'no_stream', [newEvent(), newEvent()])
    seconds = 1
    await changing.append(lengthened, 'no_stream', [newEvent()])
    await changing.setRetention?.([shortened])
    // The engine hides expired events at the latest when it prunes.
    await engine.expire(changing, 1)
    expect(await changing.readStream(shortened)).to.deep.equal([])
    seconds = 86_400
    await changing.setRetention?.([lengthened])
    await changing.append(lengthened, 0, [newEvent(), newEvent()])
    await engine.expire(changing, 1)
    // An engine may show an event again that it had hidden.
    const left = await changing.readStream(lengthened)
    expect(left.map(({ revision }) => revision).slice(-2)).to.deep.equal([1, 2])
    await changing.close()
  })
}
