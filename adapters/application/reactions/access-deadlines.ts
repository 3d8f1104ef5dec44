/**
 * What time brings to access packages: assignments start and expire; approvers are reminded of undecided requests,
 * which escalate or expire. An expired assignment has had no effect since that moment; this records it.
 */
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
} from '../../../domain/package-assignment/decider.ts'
import { overdueRequests, requestsToRemind } from '../../../read-models/queries/access-requests.ts'
import {
  dueAssignments,
  incompatibilitiesOf,
  lapsedAssignments,
} from '../../../read-models/queries/package-assignments.ts'
import { accessRequestCommands } from '../commands/access-requests.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Assignments read at once; maximum number of requests per run: the next run continues. */
const AT_ONCE = 500
/** Pages of one run; the next run continues. */
const PAGES = 20
/** How many times the usual wait a large change may take until it is in effect. */
const ROUNDS = 10

export const accessDeadlines = (
  services: Pick<Services, 'handle' | 'handleMany' | 'locks' | 'pool' | 'clock'>,
  system: () => Actor,
) => {
  const { handle, handleMany, pool, clock } = services
  const requests = accessRequestCommands(services)

  const expire = async (): Promise<void> => {
    for (let page = 1; page <= PAGES; page++) {
      const now = clock.now()
      const lapsed = await lapsedAssignments(pool, now, AT_ONCE)
      if (lapsed.length === 0) return
      const commands = lapsed.map(({ userId, ...open }) => ({
        stream: packageAssignmentsStream(userId),
        command: { type: 'expire', userId, now } as const,
        // Many users have one package, and nothing else happened to it.
        presumed: { state: { open: [open], done: [] }, revision: 0 },
      }))
      await handleMany(packageAssignmentDecider, commands, system(), ROUNDS)
      if (lapsed.length < AT_ONCE) return
    }
  }

  return async (): Promise<void> => {
    await expire()
    for (const { id: assignmentId, userId, packageId } of await dueAssignments(pool, clock.now(), AT_ONCE)) {
      const now = clock.now()
      const incompatible = await incompatibilitiesOf(pool, userId, packageId, now)
      await handle(
        packageAssignmentDecider,
        packageAssignmentsStream(userId),
        { type: 'start', userId, packageId, assignmentId, incompatible, now },
        system(),
        { wait: 'left_to_caller' },
      )
    }
    for (const request of await overdueRequests(pool, clock.now(), AT_ONCE))
      await requests.timeOut(request, system())
    for (const requestId of await requestsToRemind(pool, clock.now(), AT_ONCE))
      await requests.remind(requestId, system())
  }
}
