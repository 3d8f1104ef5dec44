/** A separate process that sends requests to a SCIM server repeatedly. */
import { randomInt } from 'node:crypto'
import { externalIdOf, nameOfGroup, userNameOf } from './directory.ts'
import { openLane, type Answer, type Lane } from './lane.ts'
import { throughput } from './measure.ts'
import type { DriverResult, DriverTask, Read } from './scim-load.ts'

const PAGE = 200

type Send = (lane: Lane, method: string, path: string, body?: unknown) => Promise<unknown>

const sender =
  ({ port, key }: DriverTask): Send =>
  async (lane, method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const answer: Answer = await lane.send(
      [
        `${method} /scim/v2${path} HTTP/1.1`,
        `Host: localhost:${String(port)}`,
        `Authorization: Bearer ${key}`,
        ...(text === ''
          ? []
          : ['Content-Type: application/scim+json', `Content-Length: ${String(Buffer.byteLength(text))}`]),
        '',
        text,
      ].join('\r\n'),
    )
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${String(answer.status)} ${answer.body.slice(0, 200)}`)
    return answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown)
  }

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`

const paths: Readonly<Record<Read, (people: number, groups: number) => string>> = {
  pages: (people) =>
    `/Users?count=${String(PAGE)}&startIndex=${String(randomInt(1, Math.max(2, people - PAGE)))}`,
  'users by userName': (people) => `/Users?${filter(`userName eq "${userNameOf(randomInt(people))}"`)}`,
  'users by externalId': (people) => `/Users?${filter(`externalId eq "${externalIdOf(randomInt(people))}"`)}`,
  'groups by displayName': (_, groups) =>
    `/Groups?excludedAttributes=members&${filter(`displayName eq "${nameOfGroup(randomInt(groups))}"`)}`,
}

const drive = async (task: DriverTask, lanes: Lane[]): Promise<DriverResult> => {
  const send = sender(task)
  const again = async (work: (lane: Lane, n: number) => Promise<unknown>, seconds: number) => ({
    perSecond: await throughput(lanes.length, seconds, async (n) => {
      const lane = lanes.pop()
      if (lane === undefined) throw new Error('more concurrent operations than lanes')
      await work(lane, n)
      lanes.push(lane)
    }),
  })
  switch (task.kind) {
    case 'read':
      return again(async (lane) => {
        const list = (await send(lane, 'GET', paths[task.read](task.people, task.groups))) as {
          Resources: readonly unknown[]
        }
        const expected = task.read === 'pages' ? PAGE : 1
        if (list.Resources.length !== Math.min(expected, task.people))
          throw new Error(`${task.read}: ${String(list.Resources.length)} found`)
      }, task.seconds)
    case 'create': {
      const name = Date.now().toString(36)
      return again(
        (lane, n) =>
          send(lane, 'POST', '/Users', {
            userName: `new${name}-${String(n)}@bench.example`,
            name: { givenName: 'New', familyName: `Person ${String(n)}` },
            externalId: `new-${name}-${String(n)}`,
            emails: [{ value: `new${name}-${String(n)}@bench.example`, type: 'work', primary: true }],
          }),
        task.seconds,
      )
    }
    case 'group': {
      const [lane] = lanes
      if (lane === undefined) throw new Error('no lane')
      return (await send(lane, 'POST', '/Groups', { displayName: 'Everybody' })) as { id: string }
    }
    case 'members': {
      const [lane] = lanes
      if (lane === undefined) throw new Error('no lane')
      const value = task.userIds.map((id) => ({ value: id }))
      const began = performance.now()
      await send(lane, 'PATCH', `/Groups/${task.groupId}?excludedAttributes=members`, {
        Operations: [{ op: task.op, path: 'members', value }],
      })
      return { ms: performance.now() - began }
    }
  }
}

const serve = async (task: DriverTask): Promise<void> => {
  const lanes = await Promise.all(
    Array.from({ length: 'atOnce' in task ? task.atOnce : 1 }, () => openLane(task.port)),
  )
  process.send?.(await drive(task, [...lanes]))
  process.disconnect()
  for (const lane of lanes) lane.close()
}

process.once('message', (task: DriverTask) => {
  void serve(task)
})
