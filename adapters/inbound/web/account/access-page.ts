/** The access packages of a user, those they can request, and their requests. */
import type { PackageQuestion } from '../../../../domain/access-package/events.ts'
import type { RequestablePackage } from '../../../../read-models/queries/access-packages.ts'
import type { AccessRequestRow, Report } from '../../../../read-models/queries/access-requests.ts'
import { durationText } from '../../../../domain/duration-text.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { formatLocale, type Language } from '../../../kernel/language.ts'
import { icons } from '../kit/icons.ts'
import { moment, notice } from '../kit/layout.ts'
import { accessTexts } from './access-texts.ts'
import { dialog } from './dialog.ts'
import { accountPaths, accountShell, empty, pageHead, section, type AccountFrame } from './frame.ts'

export interface AccessModel extends AccountFrame {
  readonly userId: string
  /** The users whose manager the user is */
  readonly reports: readonly Report[]
  /** Whose access is shown; null: the user's own */
  readonly report: Report | null
  readonly packages: readonly RequestablePackage[]
  /** The newest */
  readonly requests: readonly AccessRequestRow[]
}

interface Opener {
  readonly dialog: string
  readonly id: string
  readonly name: string
  readonly label: string
  readonly look?: string
}

export const opens = ({ dialog: name, id, name: subject, label, look = '' }: Opener): Html =>
  html`<button
    class="button button-small ${look}"
    type="button"
    ${{ 'data-open': name, 'data-id': id, 'data-name': subject }}
  >
    ${label}<span class="visually-hidden"> ${subject}</span>
  </button>`

const groupNames = ({ groups }: RequestablePackage): string =>
  groups.flatMap(({ name }) => name ?? []).join(', ')

const heldRow = (one: RequestablePackage, language: Language): Html => {
  const text = accessTexts[language]
  const { id, name, assignment, requestable, pendingRequestId, duration } = one
  const { startsAt, expiresAt, status } = assignment ?? { startsAt: '', expiresAt: null, status: 'active' }
  const isFree = pendingRequestId === null
  return html`<li>
    <span class="glyph glyph-done">${icons.done}</span>
    <div>
      <p class="row-title">${name}</p>
      <p class="row-detail">
        ${status === 'scheduled' && html`${text.from(moment(startsAt, language))}. `}
        ${expiresAt === null ? text.unlimited : text.until(moment(expiresAt, language))}.
        ${text.grants(groupNames(one))}
      </p>
      ${!isFree && html`<p class="row-detail">${text.waiting}</p>`}
    </div>
    <div class="actions needs-script">
      ${
        isFree &&
        requestable &&
        duration !== null &&
        opens({ dialog: `extend-${id}`, id, name, label: text.extend })
      }
      ${
        isFree &&
        opens({ dialog: 'give-up', id, name, label: text.giveUp, look: 'button-quiet button-danger' })
      }
    </div>
  </li>`
}

const offeredRow = (one: RequestablePackage, language: Language): Html => {
  const text = accessTexts[language]
  const { id, name, description, approvalRequired, pendingRequestId } = one
  return html`<li>
    <span class="glyph">${icons.key}</span>
    <div>
      <p class="row-title">
        ${name} <span class="badge">${approvalRequired ? text.needsApproval : text.atOnce}</span>
      </p>
      ${description !== null && html`<p class="row-detail">${description}</p>`}
      <p class="row-detail">${text.grants(groupNames(one))}</p>
      ${pendingRequestId !== null && html`<p class="row-detail">${text.waiting}</p>`}
    </div>
    <div class="actions needs-script">
      ${
        pendingRequestId === null &&
        opens({ dialog: `request-${id}`, id, name, label: text.request, look: 'button-primary' })
      }
    </div>
  </li>`
}

const requestRow = (request: AccessRequestRow, userId: string, language: Language): Html => {
  const text = accessTexts[language]
  const { id, packageName, status, type, createdAt, forUser, decisions, eligibleApprovers } = request
  const last = decisions.at(-1)
  return html`<li id="${id}">
    <span class="glyph">${icons.clock}</span>
    <div>
      <p class="row-title">
        ${packageName} <span class="badge">${text.types[type]}</span>
        <span class="badge">${text.status[status]}</span>
      </p>
      <p class="row-detail">
        ${text.requested(moment(createdAt, language))}.
        ${forUser.id !== userId && html`${text.forOther(forUser.name)}.`}
        ${status === 'pending' && html`${text.decides(eligibleApprovers.map(({ name }) => name).join(', '))}.`}
      </p>
      ${
        typeof last?.comment === 'string' &&
        html`<p class="row-detail">${text.said(last.approverName ?? '', last.comment)}</p>`
      }
      ${request.error !== null && html`<p class="row-detail">${request.error}</p>`}
    </div>
    <div class="actions needs-script">
      ${
        status === 'pending' &&
        opens({
          dialog: 'cancel-request',
          id,
          name: packageName,
          label: text.cancel,
          look: 'button-quiet button-danger',
        })
      }
    </div>
  </li>`
}

const question = (prefix: string, one: PackageQuestion, language: Language): Html => {
  const text = accessTexts[language]
  const id = `${prefix}-${one.id}`
  const label = one.required ? one.label : text.optional(one.label)
  const named = { id, name: one.id, 'data-question': one.type, required: one.required }
  if (one.type === 'boolean')
    return html`<div class="field field-check">
      <input type="checkbox" ${{ ...named, required: false }} />
      <label for="${id}">${one.label}</label>
    </div>`
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${
      one.type === 'text'
        ? html`<input type="text" maxlength="2000" autocomplete="off" ${named} />`
        : html`<select ${named}>
            <option value="">${text.choose}</option>
            ${(one.choices ?? []).map((choice) => html`<option ${{ value: choice }}>${choice}</option>`)}
          </select>`
    }
  </div>`
}

/** Offered besides the usual duration, as far as the package allows them. */
const durations = ['PT8H', 'P1D', 'P7D', 'P30D', 'P90D', 'P180D', 'P1Y'] as const

const durationField = (prefix: string, one: RequestablePackage, language: Language): Html | false => {
  const text = accessTexts[language]
  const { duration } = one
  if (duration === null) return false
  const usual =
    duration.default === undefined
      ? text.unlimitedOption
      : durationText(duration.default, formatLocale[language])
  if (!duration.requesterMayChoose) return html`<p class="hint">${text.usual(usual)}</p>`
  return html`<div class="field">
    <label for="${prefix}-duration">${text.howLong}</label>
    <select id="${prefix}-duration" name="requestedDuration">
      <option value="">${text.usual(usual)}</option>
      ${durations.map((offer) => html`<option value="${offer}">${durationText(offer, formatLocale[language])}</option>`)}
    </select>
  </div>`
}

/** Tells the script for whom a request is. */
const forReport = (report: Report | null): Html | false =>
  report !== null && html`<input type="hidden" name="forUserId" value="${report.id}" />`

const requestDialog = (
  one: RequestablePackage,
  type: 'grant' | 'extend',
  report: Report | null,
  language: Language,
): Html => {
  const text = accessTexts[language]
  const { id, name, questions, requesterJustificationRequired: required } = one
  const prefix = `${type === 'grant' ? 'request' : 'extend'}-${id}`
  return dialog({
    language,
    name: prefix,
    form: 'request-package',
    title: type === 'grant' ? text.requestTitle(name) : text.extendTitle(name),
    body: html`<input type="hidden" name="type" value="${type}" /> ${forReport(report)}
      <p class="hint">${text.grants(groupNames(one))}</p>
      <div class="field">
        <label for="${prefix}-reason">${required ? text.reason : text.optional(text.reason)}</label>
        <textarea
          id="${prefix}-reason"
          name="justification"
          rows="3"
          maxlength="2000"
          aria-describedby="${prefix}-reason-hint"
          ${{ required }}
        ></textarea>
        <p class="hint" id="${prefix}-reason-hint">${text.reasonHint}</p>
      </div>
      ${questions.map((each) => question(prefix, each, language))} ${durationField(prefix, one, language)}`,
    confirm: text.send,
  })
}

const rows = (items: readonly Html[], none: string): Html =>
  items.length === 0
    ? empty(none)
    : html`<ul class="rows">
        ${items}
      </ul>`

/** The user's access packages and requests. */
export const accessPage = (model: AccessModel): string => {
  const { language, packages, requests, userId, reports, report } = model
  const text = accessTexts[language]
  const held = packages.filter(({ assignment }) => assignment !== null)
  const offered = packages.filter(({ assignment }) => assignment === null)
  return accountShell(model, {
    name: 'access',
    head: pageHead('access', text.about, language),
    body: html`${
      report !== null &&
      notice('info', html`${text.whose(report.name)} <a href="${accountPaths.access}">${text.own}</a>`)
    }
    ${section({
      id: 'packages',
      title: report === null ? text.mine : report.name,
      body: rows(
        held.map((one) => heldRow(one, language)),
        text.none,
      ),
    })}
    ${section({
      id: 'offered',
      title: text.offered,
      body: rows(
        offered.map((one) => offeredRow(one, language)),
        text.noOffer,
      ),
    })}
    ${section({
      id: 'requests',
      title: text.requests,
      body: rows(
        requests.map((one) => requestRow(one, report?.id ?? userId, language)),
        text.noRequests,
      ),
    })}
    ${
      report === null &&
      reports.length > 0 &&
      section({
        id: 'reports',
        title: text.reports,
        hint: text.reportsHint,
        body: html`<ul class="pairs">
          ${reports.map(
            ({ id, name, email }) =>
              html`<li>
                <a href="${accountPaths.access}?for=${id}">${name}</a><span class="soft small">${email}</span>
              </li>`,
          )}
        </ul>`,
      })
    }`,
    dialogs: html`${offered.map((one) => requestDialog(one, 'grant', report, language))}
    ${held
      .filter(({ requestable, duration }) => requestable && duration !== null)
      .map((one) => requestDialog(one, 'extend', report, language))}
    ${dialog({
      language,
      name: 'give-up',
      title: text.giveUpTitle,
      body: html`<p>${text.giveUpEffect}</p>
        ${forReport(report)}`,
      confirm: text.giveUp,
      look: 'problem',
    })}
    ${dialog({
      language,
      name: 'cancel-request',
      title: text.cancelTitle,
      body: html`<p>${text.cancelEffect}</p>`,
      confirm: text.cancel,
      look: 'problem',
    })}`,
  })
}
