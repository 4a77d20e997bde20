// SPDX-License-Identifier: Apache-2.0
// Rules for the names of namespaces and tables. Names become folders below the warehouse, so a name that could lead out
// of it is refused.
#pragma once

#include <string>
#include <string_view>

#include "frazil/catalog/catalog.h"

namespace frazil::catalog {

/// "a.b.c", as Java's JdbcCatalog stores namespaces.
std::string JoinNamespace(const Namespace& ns);
Namespace SplitNamespace(std::string_view joined);

/// Throws InvalidArgument for no level at all and for a level that is empty, "." or "..", longer than 255 bytes, or has
/// a '/', a '.' (levels are joined by it) or a control character.
void ValidateNamespace(const Namespace& ns);
/// The same for a table's name, which may have dots, and for its namespace.
void ValidateIdentifier(const TableIdentifier& id);

/// Whether `ns` is `ancestor` or below it.
bool IsWithin(const Namespace& ns, const Namespace& ancestor);

}  // namespace frazil::catalog
