/** The items of access reviews that a user decides, by mouse or by keyboard. */
import type { AccessReviewItemRow, AccessReviewRow } from '../../../../read-models/queries/access-reviews.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { moment } from '../kit/layout.ts'
import { accountShell, empty, pageHead, section, type AccountFrame } from './frame.ts'

const words = texts({
  en: {
    about: 'Access of others that you are asked to confirm or to remove. You never review your own access.',
    title: 'Nothing to review',
    none: 'No access waits for your review.',
    until: (at: Html) => html`Please decide by ${at}.`,
    more: (shown: string, all: string) => `The first ${shown} of ${all} are shown.`,
    keys: 'Keys: J and K move, X selects, A keeps, R removes, Shift+A and Shift+R decide all that are selected.',
    person: 'User',
    access: 'Access',
    why: 'Because of',
    used: 'Last used',
    never: 'never',
    recommended: 'Recommendation',
    decide: 'Decision',
    select: (name: string) => `Select ${name}`,
    keep: 'Keep',
    remove: 'Remove',
    keepSelected: 'Keep selected',
    removeSelected: 'Remove selected',
    selectRecommended: 'Select those to remove',
    reason: 'Reason',
    reasonHint: 'It stays with each decision that you make now.',
    kept: 'You keep it',
    removed: 'You remove it',
    failed: 'was not decided',
    recommendations: { approve: 'Keep', revoke: 'Remove', none: 'None' },
    reasons: {
      recently_used: 'used recently',
      not_used: 'not used recently',
      user_not_active: 'the user is not active',
      recently_granted: 'given recently',
    },
    vias: {
      assigned: 'added to',
      rule: 'by the rule of',
      package: 'with an access package',
      scim: 'from a directory, in',
      lifecycle: 'by a lifecycle rule, in',
      identity_provider: 'from an identity provider, in',
      direct: 'given directly',
    },
  },
  de: {
    about: 'Zugriffe anderer, die Sie bestätigen oder entfernen sollen. Den eigenen Zugriff prüfen Sie nie.',
    title: 'Nichts zu prüfen',
    none: 'Kein Zugriff wartet auf Ihre Prüfung.',
    until: (at: Html) => html`Bitte entscheiden Sie bis ${at}.`,
    more: (shown: string, all: string) => `Die ersten ${shown} von ${all} werden gezeigt.`,
    keys: 'Tasten: J und K bewegen, X wählt aus, A behält, R entfernt, Umschalt+A und Umschalt+R entscheiden alle ausgewählten.',
    person: 'Benutzer',
    access: 'Zugriff',
    why: 'Wegen',
    used: 'Zuletzt benutzt',
    never: 'nie',
    recommended: 'Empfehlung',
    decide: 'Entscheidung',
    select: (name: string) => `${name} auswählen`,
    keep: 'Behalten',
    remove: 'Entfernen',
    keepSelected: 'Ausgewählte behalten',
    removeSelected: 'Ausgewählte entfernen',
    selectRecommended: 'Zu entfernende auswählen',
    reason: 'Grund',
    reasonHint: 'Er bleibt bei jeder Entscheidung, die Sie jetzt treffen.',
    kept: 'Sie behalten ihn',
    removed: 'Sie entfernen ihn',
    failed: 'wurde nicht entschieden',
    recommendations: { approve: 'Behalten', revoke: 'Entfernen', none: 'Keine' },
    reasons: {
      recently_used: 'kürzlich benutzt',
      not_used: 'länger nicht benutzt',
      user_not_active: 'der Benutzer ist nicht aktiv',
      recently_granted: 'kürzlich erteilt',
    },
    vias: {
      assigned: 'hinzugefügt zu',
      rule: 'durch die Regel von',
      package: 'mit einem Zugriffspaket',
      scim: 'aus einem Verzeichnis, in',
      lifecycle: 'durch eine Lebenszyklusregel, in',
      identity_provider: 'von einem Identitätsanbieter, in',
      direct: 'direkt erteilt',
    },
  },
})

/** A review, with the user's first open items. */
export interface ReviewToDecide {
  readonly review: AccessReviewRow
  readonly items: readonly AccessReviewItemRow[]
  /** How many are open */
  readonly open: number
}

export interface ReviewsModel extends AccountFrame {
  readonly reviews: readonly ReviewToDecide[]
}

const row = (item: AccessReviewItemRow, language: Language): Html => {
  const text = words[language]
  const { id, userName, userEmail, resource, accessVia, lastUsedAt, recommendation } = item
  const name = `${userName}: ${resource.name}`
  const why = accessVia.map(({ via, groupName = '' }) => `${text.vias[via]} ${groupName}`.trim()).join('; ')
  const button = (decision: string, label: string, look: string): Html =>
    html`<button
      class="button button-quiet button-small ${look}"
      type="button"
      ${{ 'data-decide': decision }}
    >
      ${label}<span class="visually-hidden"> ${name}</span>
    </button>`
  return html`<tr tabindex="-1" ${{ 'data-item': id, 'data-name': name, 'data-recommended': recommendation }}>
    <td><input type="checkbox" aria-label="${text.select(name)}" /></td>
    <th scope="row">
      ${userName}${userEmail !== null && html`<br /><span class="soft small">${userEmail}</span>`}
    </th>
    <td>${resource.name}</td>
    <td>${why}</td>
    <td>${lastUsedAt === null ? text.never : moment(lastUsedAt, language)}</td>
    <td>
      ${text.recommendations[recommendation]}<br /><span class="soft small"
        >${text.reasons[item.recommendationReason]}</span
      >
    </td>
    <td data-outcome class="needs-script">
      ${button('approved', text.keep, '')} ${button('revoked', text.remove, 'button-danger')}
    </td>
  </tr>`
}

const card = ({ review, items, open }: ReviewToDecide, language: Language): Html => {
  const text = words[language]
  const { id, name, endsAt, description } = review
  const all = (decision: string, label: string, look: string): Html =>
    html`<button class="button button-small ${look}" type="button" ${{ 'data-decide-selected': decision }}>
      ${label}
    </button>`
  return section({
    id,
    title: name,
    hint: html`${description} ${endsAt !== null && text.until(moment(endsAt, language))}`,
    body: html`<div
      class="review"
      ${{ 'data-review': id, 'data-kept': text.kept, 'data-removed': text.removed, 'data-failed': text.failed }}
    >
      <p class="small">${text.keys}</p>
      ${open > items.length && html`<p>${text.more(String(items.length), String(open))}</p>`}
      <div class="field">
        <label for="reason-${id}">${text.reason}</label>
        <input id="reason-${id}" name="reason" maxlength="1000" aria-describedby="reason-hint-${id}" />
        <p class="hint" id="reason-hint-${id}">${text.reasonHint}</p>
      </div>
      <div class="actions needs-script">
        <button class="button button-small" type="button" data-select-recommended>
          ${text.selectRecommended}
        </button>
        ${all('approved', text.keepSelected, '')} ${all('revoked', text.removeSelected, 'button-danger')}
      </div>
      <div class="review-rows" role="group" aria-label="${name}" tabindex="0">
        <table>
          <thead>
            <tr>
              <td></td>
              <th scope="col">${text.person}</th>
              <th scope="col">${text.access}</th>
              <th scope="col">${text.why}</th>
              <th scope="col">${text.used}</th>
              <th scope="col">${text.recommended}</th>
              <th scope="col">${text.decide}</th>
            </tr>
          </thead>
          <tbody>
            ${items.map((item) => row(item, language))}
          </tbody>
        </table>
      </div>
    </div>`,
  })
}

/** The access reviews with items that the user decides. */
export const reviewsPage = (model: ReviewsModel): string => {
  const { language, reviews } = model
  const text = words[language]
  return accountShell(model, {
    name: 'reviews',
    script: 'reviews.js',
    head: pageHead('reviews', text.about, language),
    body:
      reviews.length === 0
        ? section({ id: 'reviews', title: text.title, body: empty(text.none) })
        : html`${reviews.map((one) => card(one, language))}`,
    dialogs: html``,
  })
}
