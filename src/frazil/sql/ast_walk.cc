// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/ast_walk.h"

namespace frazil::sql {

namespace {

using Visit = std::function<void(const Expression&)>;

/// One overload for each kind of node; those without children are the template's.
struct Children {
  const Visit& visit;

  void Maybe(const ExpressionPtr& expression) const {
    if (expression != nullptr) visit(*expression);
  }
  void All(const std::vector<ExpressionPtr>& expressions) const {
    for (const ExpressionPtr& expression : expressions) visit(*expression);
  }

  template <typename Leaf>
  void operator()(const Leaf&) const {}
  void operator()(const UnaryOp& node) const { visit(*node.operand); }
  void operator()(const BinaryOp& node) const {
    visit(*node.left);
    visit(*node.right);
  }
  void operator()(const Junction& node) const { All(node.operands); }
  void operator()(const IsTest& node) const { visit(*node.operand); }
  void operator()(const Between& node) const {
    visit(*node.operand);
    visit(*node.low);
    visit(*node.high);
  }
  void operator()(const InList& node) const {
    visit(*node.operand);
    All(node.items);
  }
  void operator()(const InSubquery& node) const { visit(*node.operand); }
  void operator()(const Like& node) const {
    visit(*node.operand);
    visit(*node.pattern);
    Maybe(node.escape);
  }
  void operator()(const Case& node) const {
    Maybe(node.operand);
    for (const WhenClause& when : node.whens) {
      visit(*when.condition);
      visit(*when.result);
    }
    Maybe(node.otherwise);
  }
  void operator()(const Cast& node) const { visit(*node.operand); }
  void operator()(const FunctionCall& node) const {
    All(node.arguments);
    Maybe(node.filter);
  }
  void operator()(const NamedArgument& node) const { visit(*node.value); }
  void operator()(const RowConstructor& node) const { All(node.fields); }
  void operator()(const ArrayConstructor& node) const { All(node.items); }
  void operator()(const MapConstructor& node) const {
    for (size_t i = 0; i < node.keys.size(); ++i) {
      visit(*node.keys[i]);
      visit(*node.values[i]);
    }
  }
  void operator()(const Subscript& node) const {
    visit(*node.base);
    visit(*node.index);
  }
  void operator()(const FieldAccess& node) const { visit(*node.base); }
};

}  // namespace

void VisitChildren(const Expression& expression, const Visit& visit) { std::visit(Children{visit}, expression.node); }

}  // namespace frazil::sql
