import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { applicationCommands } from '../../adapters/commands/applications.ts'
import { groupCommands } from '../../adapters/commands/groups.ts'
import { userCommands } from '../../adapters/commands/users.ts'
import { newId } from '../../adapters/ids.ts'
import { hashSecret, newSecret } from '../../adapters/vault/hash.ts'
import { startDevSession } from '../../cli/dev-session.ts'
import type { Log } from '../../cli/log.ts'
import { startService } from '../../cli/service.ts'
import { systemActor } from '../../cli/setup-link.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import type { DriverTask } from './code-flow-driver.ts'
import { benchConfig } from './place.ts'

const PEOPLE = 50
const REDIRECT_URI = 'https://app.example.com/callback'

/** Whole sign-ins to an application by people with a session: authorize, then token. @returns flows per second */
export const codeFlows = async (databaseUrl: string, log: Log): Promise<number> => {
  const service = await startService(await benchConfig(databaseUrl), log)
  const { services } = service.core
  const actor = systemActor()
  const { groupId } = await groupCommands(services).create({ name: 'Everyone', source: 'local' }, actor)
  const { applicationId, clientSecret = '' } = await applicationCommands(services).create(
    {
      applicationType: 'web',
      settings: { name: 'Bench', redirectUris: [REDIRECT_URI] },
      groupIds: [groupId],
    },
    actor,
  )
  const clientId = (await services.configuration.fresh()).applicationById.get(applicationId)?.clientId ?? ''

  const cookies = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, n) => {
      const email = `person${String(n)}@example.com`
      const { userId, enrollUrl } = await userCommands(services).invite(
        { profile: { email, name: `Person ${String(n)}` }, source: 'local' },
        actor,
      )
      await services.handle(
        userDecider,
        userStream(userId),
        {
          type: 'enroll',
          userId,
          tokenHash: hashSecret(enrollUrl.split('/').at(-1) ?? ''),
          now: services.clock.now(),
          emailed: false,
          method: {
            methodId: newId('method'),
            methodType: 'passkey',
            name: 'Bench',
            credentialId: newSecret('', services.random),
            publicKey: 'AA',
            signCount: 0,
            transports: [],
            aaguid: '00000000-0000-0000-0000-000000000000',
            backedUp: false,
          },
        },
        actor,
      )
      await groupCommands(services).addMember(groupId, userId, undefined, actor)
      return startDevSession(services, email)
    }),
  )

  const driver = fork(fileURLToPath(new URL('./code-flow-driver.ts', import.meta.url)))
  const task: DriverTask = {
    issuer: service.publicUrl,
    clientId,
    clientSecret,
    redirectUri: REDIRECT_URI,
    cookies,
    atOnce: 16,
    seconds: 8,
  }
  driver.send(task)
  const rate = await new Promise<number>((resolve, reject) => {
    driver.once('message', (value: number) => {
      resolve(value)
    })
    driver.once('exit', () => {
      reject(new Error('the load driver ended without a result'))
    })
  })
  await service.stop()
  return rate
}
