import type { FieldType } from '../page.ts'

const properties: Partial<Record<FieldType, string>> = {
  number:
    'bestRating copyrightYear highPrice interactionCount latitude longitude lowPrice maxPrice minPrice numberOfPages offerCount ' +
    'position price ratingCount ratingValue reviewCount wordCount worstRating',
  boolean: 'isAccessibleForFree isFamilyFriendly isLiveBroadcast jobImmediateStart directApply',
  instant:
    'availabilityEnds availabilityStarts birthDate commentTime dateCreated dateDeleted dateIssued dateModified datePosted ' +
    'datePublished dateRead dateReceived dateSent deathDate doorTime endDate expires foundingDate lastReviewed priceValidUntil ' +
    'releaseDate startDate uploadDate validFrom validThrough validUntil',
}

const types = new Map(
  Object.entries(properties).flatMap(([type, names]) => names.split(' ').map(name => [name, type as FieldType])),
)

/** Returns the type of the values that schema.org expects of a property; undefined for texts, items and unknown properties. */
export function typeOfProperty(name: string): FieldType | undefined {
  return types.get(name)
}
