/**
 * Forms of credentials that begin with a fixed text, with the name for an error. Most forms are rules of gitleaks
 * (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT license). Unlike gitleaks, they also match the beginning of a
 * credential.
 *
 * Each form starts at a fixed text or has a bounded length, so a text is read in linear time.
 */
const forms: readonly (readonly [kind: string, ...sources: string[]])[] = [
  ['an asof key', 'asof_[A-Za-z0-9_-]{43}'],
  ['an AWS access key', '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}', 'ABSK[A-Za-z0-9+/]{40}', 'bedrock-api-key-'],
  ['a secret API key', '(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{8}'],
  // A digit is required, because "sk-learn" is a library.
  ['a secret API key', 'sk-(?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{16}'],
  ['a GitHub token', '(?:gh[opsur]_|github_pat_)[A-Za-z0-9_]{20}'],
  [
    'a GitLab token',
    'gl(?:pat|ptt|dt|rt|ft|imt|agent|oas|soat|ffct|cbt)-[A-Za-z0-9_.-]{20}',
    'GR1348941[A-Za-z0-9_-]{20}',
    '_gitlab_session=[0-9a-z]{32}',
  ],
  [
    'a Slack token',
    'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10}',
    'xapp-\\d-[A-Za-z0-9-]{10}',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20}',
  ],
  ['a Discord token', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27}'],
  ['a Discord webhook', 'discord(?:app)?\\.com/api/webhooks/\\d{10,20}/[A-Za-z0-9_-]{20}'],
  ['a Teams webhook', '[a-z0-9]{1,63}\\.webhook\\.office\\.com/webhookb2/[a-z0-9-]{20}'],
  ['a Telegram bot token', '(?:bot)?\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'],
  [
    'a Google key',
    'AIza[A-Za-z0-9_-]{30}',
    'GOCSPX-[A-Za-z0-9_-]{20}',
    'ya29\\.[A-Za-z0-9_-]{20}',
    '1//0[A-Za-z0-9_-]{20}',
  ],
  ['an npm token', 'npm_[A-Za-z0-9]{20}'],
  ['a PyPI token', 'pypi-AgE[A-Za-z0-9_-]{20}'],
  [
    'a package registry token',
    'rubygems_[a-f0-9]{20}',
    'dckr_[po]at_[A-Za-z0-9_-]{20}',
    'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])',
  ],
  ['a Hugging Face token', '(?:hf|api_org)_[A-Za-z0-9]{20}'],
  [
    'a key of a model provider',
    '(?:gsk|r8|fw|pcsk|nvapi|jina|tgp_v1|lsv2_(?:pt|sk))[_-][A-Za-z0-9_-]{20}',
    '(?:xai|pplx|csk|tvly(?:-dev)?|fc)-[A-Za-z0-9]{20}',
  ],
  ['a SendGrid key', 'SG\\.[A-Za-z0-9_-]{16,40}\\.[A-Za-z0-9_-]{16}'],
  [
    'a key of a mail service',
    '(?:xkeysib|key)-[a-f0-9]{32}',
    '[a-f0-9]{32}-us\\d{1,2}(?![A-Za-z0-9])',
    're_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16}',
  ],
  ['a Twilio key', 'SK[a-f0-9]{32}'],
  ['a Shopify token', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20}'],
  ['a Square token', 'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20}', 'EAAA[A-Za-z0-9_-]{40}'],
  ['a Facebook token', 'EAA[A-Za-z0-9]{60}'],
  ['a PayPal token', 'access_token\\$production\\$[a-z0-9]{10}'],
  ['a DigitalOcean token', 'do[opr]_v1_[a-f0-9]{20}'],
  [
    'a key of a cloud provider',
    'LTAI[A-Za-z0-9]{20}',
    '[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31}',
    'HRKU-[A-Za-z0-9_-]{20}',
  ],
  ['a key of a cloud provider', 'f(?:o1|m1[ar]|m2)_[A-Za-z0-9+/_-]{40}', '(?:nfp|rnd|sbp|sb_secret)_[A-Za-z0-9_-]{20}'],
  ['a Cloudflare key', 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{40}'],
  ['a secret of a vault', 'hv[bsr]\\.[A-Za-z0-9_-]{20}', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40}'],
  [
    'a secret of a vault',
    'dp\\.(?:pt|st|sa|ct|scim|audit)\\.[A-Za-z0-9._-]{20}',
    'ops_eyJ[A-Za-z0-9+/]{40}',
    'A3-[A-Z0-9]{6}-[A-Z0-9]{6}',
  ],
  ['a key of a database', 'dapi[a-f0-9]{32}', 'pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{20}', '4b1d[A-Za-z0-9]{38}'],
  [
    'a key of a build service',
    'pul-[a-f0-9]{40}',
    '(?:bkua|CCIPAT|pnu)_[A-Za-z0-9_]{20}',
    'tskey-[a-z]{2,10}-[A-Za-z0-9-]{16}',
  ],
  [
    'a key of a monitoring service',
    'gl(?:c|sa)_[A-Za-z0-9+/]{20}',
    'sntry[su]_[A-Za-z0-9+/=]{20}',
    'NRAK-[A-Z0-9]{20}',
    'dt0c01\\.[A-Za-z0-9]{24}',
  ],
  [
    'a key of a project service',
    'lin_(?:api|oauth)_[A-Za-z0-9]{20}',
    'ntn_[A-Za-z0-9]{40}',
    'secret_[A-Za-z0-9]{43}',
    'figd_[A-Za-z0-9_-]{20}',
  ],
  [
    'a key of a project service',
    'AT[AC]TT3x[A-Za-z0-9_=-]{20}',
    'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}',
    'PMAK-[a-f0-9]{24}',
  ],
  ['a JSON Web Token', 'eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]*'],
  ['a private key', '-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY', 'PuTTY-User-Key-File-\\d', 'AGE-SECRET-KEY-1[A-Z0-9]{20}'],
  [
    'a private key',
    'nsec1[a-z0-9]{58}',
    '[txyz]prv[1-9A-HJ-NP-Za-km-z]{50}',
    '[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])',
  ],
  // A key pair of Solana: 64 bytes.
  ['a private key', '\\[(?:\\s{0,3}\\d{1,3}\\s{0,3},){63}\\s{0,3}\\d{1,3}\\s{0,3}\\]'],
]

const compiled = forms.map(([kind, ...sources]) => ({
  kind,
  form: new RegExp(`(?<![A-Za-z0-9])(?:${sources.join('|')})`),
}))

/** Returns the kind of the first credential in a text that has one of the forms. */
export function tokenKind(text: string): string | undefined {
  return compiled.find(({ form }) => form.test(text))?.kind
}
